package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// waits is the number of checks after a change within which an alarm still counts as correct. A collapse waits for
// two more checks.
const waits = 2

// outcomes is the result of a method on a history.
type outcomes struct {
	alarms, right int // number of reported changes, and number of correct reports
	changes       int // number of true changes
	found         int // number of true changes that an alarm found
	atOnce        int // number of true changes found by the check that first saw them
	kinds         map[string]bool
	tokensTrue    int // tokens embedded for true changes
	tokensFalse   int
	missed, false []string
}

// reportChanges replays a history by every method and writes a table for each set of labels.
func reportChanges(out io.Writer, dir, cache, labelFile string, verbose bool) error {
	snapshots, recorded, err := repositories(dir)
	if err != nil {
		return err
	}
	versions, err := readVersions(recorded)
	if err != nil {
		return err
	}
	p, err := readPast(snapshots, cache)
	if err != nil {
		return err
	}
	sets := []labels{{name: "raw"}}
	if labelFile != "" {
		repaired, err := readLabels(labelFile)
		if err != nil {
			return err
		}
		sets = append(sets, repaired)
	}
	items := p.items(versions)
	known := make([]*facts, len(p.States))
	for i := range p.States {
		known[i] = factsOf(&p.States[i])
	}
	fmt.Fprintf(out, "%d fetches of %d pages, %d versions\n", len(p.Refetches), len(items), len(versions))
	for _, l := range sets {
		if err := l.report(out, items, known, verbose); err != nil {
			return err
		}
	}
	return nil
}

func (l labels) report(out io.Writer, items []item, known []*facts, verbose bool) error {
	fmt.Fprintf(out, "\n%s labels, %d disputed\n\n", l.name, l.disputes)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\talarms\tprecision\tby kind\trecall\tfalse per true\tat once\ttokens, true\tfalse\t")
	for _, m := range methods() {
		o := l.replay(items, known, m)
		fmt.Fprintln(w, m.name+"\t"+o.columns())
		if verbose {
			fmt.Fprintf(w, "%s\n\n", strings.Join(append(o.missed, o.false...), "\n"))
		}
	}
	return w.Flush()
}

func (o *outcomes) columns() string {
	trueKinds := 0
	for _, right := range o.kinds {
		if right {
			trueKinds++
		}
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t", o.alarms, ratio(o.right, o.alarms),
		ratio(trueKinds, len(o.kinds)), ratio(o.found, o.changes), ratio(o.alarms-o.right, o.found),
		ratio(o.atOnce, o.found), o.tokensTrue, o.tokensFalse)
}

func ratio(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(a)/float64(b))
}

// replay passes the checks of all items to the method, in the order in which the checks were made, because sibling
// pages learn from each other.
func (l labels) replay(items []item, known []*facts, m method) *outcomes {
	type turn struct {
		item *replayed
		at   int
	}
	o := &outcomes{kinds: map[string]bool{}}
	hosts := map[string]*furniture{}
	var turns []turn
	for i := range items {
		it := &items[i]
		if hosts[it.host] == nil {
			hosts[it.host] = &furniture{moves: map[move]sighting{}, small: &siblings{}}
		}
		r := &replayed{item: it, detector: m.make(it, hosts[it.host]), outcomes: o, embedded: map[string]bool{}}
		for n := range it.checks {
			turns = append(turns, turn{r, n})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int {
		return a.item.item.checks[a.at].At.Compare(b.item.item.checks[b.at].At)
	})
	for _, t := range turns {
		c := t.item.item.checks[t.at]
		t.item.check(t.at, known[c.state], l.change(c))
	}
	for _, t := range turns {
		t.item.lose(len(t.item.item.checks) + waits + 1)
	}
	return o
}

// replayed is the state of one item during a replay.
type replayed struct {
	*outcomes
	item     *item
	detector detector
	open     []int // checks with a change that no alarm has found yet
	indexed  *facts
	embedded map[string]bool
}

func (r *replayed) check(n int, s *facts, changed bool) {
	c := r.item.checks[n]
	v := r.detector.check(s, c.raw, c.At)
	if n > 0 && changed {
		r.changes++
		r.open = append(r.open, n)
	}
	r.lose(n)
	right := len(r.open) > 0
	if v.alarm {
		r.alarm(n, s)
	}
	if v.index {
		tokens := r.embed(s)
		if right && v.alarm {
			r.tokensTrue += tokens
		} else if n > 0 {
			r.tokensFalse += tokens
		}
		r.indexed = s
	}
}

// lose removes the open changes that are so old that an alarm at check n would no longer count as correct.
func (r *replayed) lose(n int) {
	for len(r.open) > 0 && n-r.open[0] > waits {
		r.missed = append(r.missed, "missed "+r.name(r.open[0]))
		r.open = r.open[1:]
	}
}

// alarm counts an alarm. The alarm finds all open changes. A second alarm for the same change is false.
func (r *replayed) alarm(n int, s *facts) {
	r.alarms++
	kind := kindOf(r.item, r.indexed, s)
	if len(r.open) == 0 {
		r.false = append(r.false, "false  "+r.name(n))
		r.kinds[kind] = r.kinds[kind] || false
		return
	}
	r.kinds[kind] = true
	r.right++
	r.found += len(r.open)
	for _, at := range r.open {
		if at == n {
			r.atOnce++
		}
	}
	r.open = nil
}

func (r *replayed) name(n int) string {
	c := r.item.checks[n]
	return c.Commit[:commitLength] + " " + c.At.Format("2006-01-02") + " " + r.item.name
}

// embed returns the number of tokens in those chunks of s that were not embedded for this page before.
func (r *replayed) embed(s *facts) (tokens int) {
	if s == r.indexed {
		return 0
	}
	for _, c := range s.chunks() {
		if !r.embedded[c.Text] {
			r.embedded[c.Text] = true
			tokens += c.Tokens
		}
	}
	return tokens
}

// kindOf returns a text that identifies the lines that were added or removed between two states of a page. Digits in
// the lines do not matter.
func kindOf(it *item, before, now *facts) string {
	moved := movedLines(before.lines, now.lines)
	if len(moved) == 0 {
		moved = movedLines(strings.Split(before.Document.VisibleText, "\n"), strings.Split(now.Document.VisibleText, "\n"))
	}
	var lines []string
	for line := range moved {
		lines = append(lines, strings.Map(maskDigit, line))
	}
	slices.SortFunc(lines, cmp.Compare[string])
	return it.name + "\n" + strings.Join(slices.Compact(lines), "\n")
}

func maskDigit(r rune) rune {
	if '0' <= r && r <= '9' {
		return '0'
	}
	return r
}
