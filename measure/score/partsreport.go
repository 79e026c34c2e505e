package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// partCount counts outcomes of trials.
type partCount map[partOutcome]int

// outcomes are the columns of the table.
var partColumns = []partOutcome{partFound, partDoubted, partAnother, partLost, partLostEmpty, partLostMute, partGone,
	partGoneTaken, partGoneMute, partUnoffered}

func (c partCount) all() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

func (c partCount) sum(of ...partOutcome) (n int) {
	for _, o := range of {
		n += c[o]
	}
	return n
}

// partGroup selects trials for a row of the table.
type partGroup struct {
	name string
	has  func(*partTrial) bool
}

// partGroups are the rows: by form, on real and on made pages, by what was chosen, and by edit. A trial is in the row
// of each of its edits.
func partGroups(trials []*partTrial) (all []partGroup) {
	all = append(all, partGroup{"all", func(*partTrial) bool { return true }})
	for _, form := range []string{formOwn, formNamesake, formProse} {
		for _, real := range []bool{true, false} {
			all = append(all, partGroup{form + map[bool]string{true: ", real", false: ", made"}[real],
				func(t *partTrial) bool { return t.at.form == form && (t.page != "") == real }})
		}
	}
	for _, known := range []bool{true, false} {
		all = append(all, partGroup{map[bool]string{true: "with", false: "without"}[known] + " earlier captures",
			func(t *partTrial) bool { return t.earlierKnown == known }})
	}
	var whats, edits []string
	for _, t := range trials {
		whats = append(whats, t.at.what)
		edits = append(edits, t.edits...)
	}
	slices.Sort(whats)
	slices.Sort(edits)
	for _, what := range slices.Compact(whats) {
		all = append(all, partGroup{what, func(t *partTrial) bool { return t.at.what == what }})
	}
	for _, edit := range slices.Compact(edits) {
		all = append(all, partGroup{"edit: " + edit, func(t *partTrial) bool { return slices.Contains(t.edits, edit) }})
	}
	return all
}

func countParts(trials []*partTrial, results []partResult, has func(*partTrial) bool) partCount {
	c := partCount{}
	for i, t := range trials {
		if has(t) {
			c[results[i].outcome]++
		}
	}
	return c
}

// reportParts writes how many parts are found again, beside what is aimed at.
func reportParts(out io.Writer, args []string, seed uint64, n int, verbose bool) error {
	var folder fs.FS
	if len(args) > 0 {
		folder = os.DirFS(args[0])
	}
	trials, results, err := partsOf(folder, seed, n)
	if err != nil {
		return err
	}
	real, earlier := 0, 0
	for _, t := range trials {
		real, earlier = real+count(t.page != ""), earlier+count(t.earlierKnown)
	}
	fmt.Fprintf(out, "%d trials, %d of them on real pages, %d with earlier captures\n\n", len(trials), real, earlier)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\ttrials\t")
	for _, o := range partColumns {
		fmt.Fprint(w, o, "\t")
	}
	fmt.Fprintln(w)
	for _, g := range partGroups(trials) {
		c := countParts(trials, results, g.has)
		fmt.Fprintf(w, "%s\t%d\t", g.name, c.all())
		for _, o := range partColumns {
			fmt.Fprintf(w, "%d\t", c[o])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := reportPartAims(out, trials, results); err != nil || !verbose {
		return err
	}
	for i, t := range trials {
		sayPart(out, t, results[i])
	}
	return nil
}

// reportPartAims writes the figures that have an aim.
func reportPartAims(out io.Writer, trials []*partTrial, results []partResult) error {
	all := countParts(trials, results, func(*partTrial) bool { return true })
	own := countParts(trials, results, func(t *partTrial) bool {
		return t.at.form == formOwn && !slices.Contains(t.edits, "rebuilt, part kept")
	})
	rest := countParts(trials, results, func(t *partTrial) bool { return t.at.form != formOwn })
	there := []partOutcome{partFound, partDoubted, partAnother, partLost, partLostEmpty, partLostMute}
	gone := []partOutcome{partGone, partGoneTaken, partGoneMute}
	tried := all.all() - all[partUnoffered]
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, n, of int, aim string) {
		fmt.Fprintf(w, "%s\t%d of %d\t%s\t%s\n", name, n, of, ratio(n, of), aim)
	}
	fmt.Fprintln(w, "\n\tparts\tshare\taim")
	row("another thing is taken", all.sum(partAnother, partGoneTaken), tried, "≤ .010")
	row("found again, with a key of its own", own[partFound], own.sum(there...), "≥ .970")
	row("namesakes and prose: of those not found, said to be lost", rest[partLost], rest.sum(there...)-rest[partFound],
		"1.000")
	row("gone, and said", all[partGone], all.sum(gone...), "≥ .970")
	emptyAll, emptyWrong := judged(trials, results, saysEmpty, saysBroken)
	row("empty taken for broken", emptyWrong, emptyAll, "≤ .020")
	brokenAll, brokenWrong := judged(trials, results, saysBroken, saysEmpty)
	row("broken taken for empty", brokenWrong, brokenAll, "≤ .010")
	if err := w.Flush(); err != nil {
		return err
	}
	return reportJudged(out, trials, results)
}

// reportJudged writes what is said of parts of which nothing is left, by what became of them and what should be said.
func reportJudged(out io.Writer, trials []*partTrial, results []partResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n\tshould be said\ttrials\tsaid: empty\tsaid: broken\tnothing said")
	for _, should := range []string{saysEmpty, saysBroken} {
		for _, fate := range []string{"emptied", "list emptied", "removed", "rebuilt", "rebuilt, part kept"} {
			said, n := map[string]int{}, 0
			for i, t := range trials {
				if t.should == should && slices.Contains(t.edits, fate) && results[i].outcome != partUnoffered {
					said[results[i].verdict]++
					n++
				}
			}
			if n > 0 {
				fmt.Fprintf(w, "%s	%s	%d	%d	%d	%d\n", fate, should, n, said[saysEmpty], said[saysBroken], said[""])
			}
		}
	}
	return w.Flush()
}

// judged counts the trials of which something should be said, and those of them of which the other thing was said.
// Where another thing was taken, nothing is said.
func judged(trials []*partTrial, results []partResult, should, other string) (all, wrong int) {
	for i, t := range trials {
		switch o := results[i].outcome; {
		case t.should != should || o == partUnoffered || o == partGoneTaken || o == partAnother || o == partFound:
		default:
			all, wrong = all+1, wrong+count(results[i].verdict == other)
		}
	}
	return all, wrong
}

// sayPart lists a trial that failed.
func sayPart(out io.Writer, t *partTrial, r partResult) {
	if slices.Contains([]partOutcome{partFound, partGone}, r.outcome) && (t.should == "" || t.should == r.verdict) {
		return
	}
	fmt.Fprintf(out, "\n%s: %s, %s, key %q: %s\n  edits: %s; should be said: %q, said: %q\n  selector: %s\n", t.name(),
		t.at.what,
		t.at.form, clip(t.at.among.key), r.outcome, strings.Join(t.edits, ", "), t.should, r.verdict, r.selector)
	fmt.Fprintf(out, "  chosen: %s\n  now:    %s\n  taken:  %s\n", clip(t.chosenText), clip(t.wanted), clip(r.took))
}

func clip(s string) string {
	const most = 160
	if all := []rune(s); len(all) > most {
		return string(all[:most]) + "…"
	}
	return s
}
