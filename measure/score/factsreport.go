package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// trial is one fact on one page.
type trial struct {
	spot     spot
	slot     string
	template pageTemplate
	fact     fact
}

// trials returns every step-th trial: each spot in each of its slots with each fact. The templates take turns, except
// that a heading beside the name of the site needs a template that has such a slot.
func trials(step int) (all []trial) {
	facts, n := allFacts(), 0
	for _, s := range spots {
		for _, slot := range strings.Fields(s.where) {
			for _, f := range facts {
				t := pageTemplates[n%len(pageTemplates)]
				if n++; (n-1)%step == 0 && strings.Contains(t.html, "{"+slot+"}") {
					all = append(all, trial{s, slot, t, f})
				}
			}
			n++ // so that facts and templates meet in other pairs
		}
	}
	return all
}

// result says what became of a fact. Each field counts up to one when all is well.
type result struct {
	found    int // how often the fact is in the text of both zones
	reported int // how often four checks report a change: twice the page before the change, and twice after it
	shown    int // how often the passages of the change have the new text
}

func (r result) isFound() bool    { return r.found == 1 }
func (r result) isReported() bool { return r.reported == 1 && r.shown == 1 }

// run reads both pages and compares them as checks do.
func (t trial) run() (result, error) {
	before, err := stateFrom([]byte(t.template.page(t.spot, t.slot, t.fact.language, t.fact.before)), "")
	if err != nil {
		return result{}, err
	}
	after, err := stateFrom([]byte(t.template.page(t.spot, t.slot, t.fact.language, t.fact.after)), "")
	if err != nil {
		return result{}, err
	}
	old, now := extract.Join(before.Document.Blocks), extract.Join(after.Document.Blocks)
	r := result{found: strings.Count(dom.Fold(old), dom.Fold(t.fact.before))}
	known := change.Known{}
	for i, s := range []state{before, before, after, after} {
		d := change.Decide(known, readingOf(&s, true), false, time.Unix(int64(i), 0))
		if known = d.Known; d.Kind == change.Content || d.Kind == change.Beside {
			r.reported++
		}
	}
	for _, p := range textdiff.Differences(old, now, feed.MaxPassages, feed.MaxPassage).Chosen {
		if p.Added && strings.Contains(dom.Fold(p.Text), dom.Fold(t.fact.after)) {
			r.shown++
		}
	}
	return r, nil
}

// factCount counts trials.
type factCount struct {
	all, found, reported int
	missed               []string
}

func (c *factCount) add(t trial, r result) {
	c.all++
	if r.isFound() {
		c.found++
	}
	if r.isReported() {
		c.reported++
	}
	if !r.isFound() || !r.isReported() {
		c.missed = append(c.missed, fmt.Sprintf("%s, %s, %s: %q found %d, reported %d, shown %d", t.spot.name, t.slot,
			t.template.name, t.fact.before, r.found, r.reported, r.shown))
	}
}

// factScore is the result of all trials, by spot, by template, and by kind and language of the fact.
type factScore struct {
	all factCount
	by  [3]map[string]*factCount
}

func scoreFacts(step int) (*factScore, error) {
	s := &factScore{}
	for i := range s.by {
		s.by[i] = map[string]*factCount{}
	}
	for _, t := range trials(step) {
		r, err := t.run()
		if err != nil {
			return nil, err
		}
		s.all.add(t, r)
		for i, key := range []string{t.spot.name + ", " + t.slot, t.template.name, t.fact.kind + " " + t.fact.language} {
			if s.by[i][key] == nil {
				s.by[i][key] = &factCount{}
			}
			s.by[i][key].add(t, r)
		}
	}
	return s, nil
}

// reportFacts writes the shares of facts that are found and of changes that are reported once, and a row for each spot,
// template, and kind and language that has misses.
func reportFacts(out io.Writer, step int, verbose bool) error {
	s, err := scoreFacts(step)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d spots, %d templates, %d facts\n\n", len(spots), len(pageTemplates), len(allFacts()))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ttrials\tfound\treported once\t")
	row := func(name string, c *factCount) {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t\n", name, c.all, ratio(c.found, c.all), ratio(c.reported, c.all))
	}
	row("all", &s.all)
	for _, by := range s.by {
		worst := func(a, b string) int {
			return cmp.Or(cmp.Compare(len(by[b].missed), len(by[a].missed)), cmp.Compare(a, b))
		}
		for _, key := range slices.SortedFunc(maps.Keys(by), worst) {
			if verbose || len(by[key].missed) > 0 {
				row(key, by[key])
			}
		}
	}
	if err := w.Flush(); err != nil || !verbose {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\n", strings.Join(s.all.missed, "\n"))
	return err
}
