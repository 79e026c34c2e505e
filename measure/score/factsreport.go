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

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/feed"
)

// trial is one fact on one page.
type trial struct {
	spot     spot
	slot     string
	template factPage
	fact     fact
}

// factPage is a page that may have a fact.
type factPage interface {
	page(s spot, slot, language, text string) string
	group() string            // the kind of page, for a row of the report
	existing(text string) int // how often a text is on it without the fact
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
	old, now, rule := factsOf(&before), factsOf(&after), byFilter{}
	r := result{found: strings.Count(dom.Fold(old.text()), dom.Fold(t.fact.before)) - t.template.existing(t.fact.before)}
	for i, f := range []*facts{old, old, now, now} {
		if rule.check(f, i, time.Unix(int64(i), 0)).alarm {
			r.reported++
		}
	}
	for _, p := range rule.change.Passages {
		if p.Op == feed.Added && strings.Contains(dom.Fold(p.Text), dom.Fold(t.fact.after)) {
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
			t.template.group(), t.fact.before, r.found, r.reported, r.shown))
	}
}

// factScore is the result of all trials, by spot, by template, and by kind and language of the fact.
type factScore struct {
	all factCount
	by  [3]map[string]*factCount
}

func scoreFacts(all []trial) (*factScore, error) {
	s := &factScore{}
	for i := range s.by {
		s.by[i] = map[string]*factCount{}
	}
	results, work := make([]result, len(all)), errgroup.Group{}
	work.SetLimit(2)
	for i, t := range all {
		work.Go(func() (err error) {
			results[i], err = t.run()
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for n, t := range all {
		r := results[n]
		s.all.add(t, r)
		for i, key := range []string{t.spot.name + ", " + t.slot, t.template.group(), t.fact.kind + " " + t.fact.language} {
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
func reportFacts(out io.Writer, all []trial, verbose bool) error {
	s, err := scoreFacts(all)
	if err != nil {
		return err
	}
	pages := map[factPage]bool{}
	for _, t := range all {
		pages[t.template] = true
	}
	fmt.Fprintf(out, "%d spots, %d pages, %d facts\n\n", len(spots), len(pages), len(allFacts()))
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
