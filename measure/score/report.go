package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"golang.org/x/net/html"
)

// scores are the scores of one extractor, over all pages and by type of page.
type scores struct {
	all    tally
	byKind map[string]*tally
	used   time.Duration
}

// measure runs an extractor on all pages, and passes each page and its extracted text to a function.
func measure(pages []page, e extractor, each func(p page, text string)) (scores, error) {
	s := scores{byKind: map[string]*tally{}}
	for _, p := range pages {
		began := processorTime()
		text, err := e.extract(p.html)
		s.used += processorTime() - began
		if err != nil {
			return s, fmt.Errorf("%s on %s: %w", e.name, p.name, err)
		}
		s.all.add(p, text)
		if s.byKind[p.kind] == nil {
			s.byKind[p.kind] = &tally{}
		}
		s.byKind[p.kind].add(p, text)
		each(p, text)
	}
	return s, nil
}

// parsing returns the processor time that parsing all pages takes.
func parsing(pages []page) time.Duration {
	began := processorTime()
	for _, p := range pages {
		_, _ = html.Parse(bytes.NewReader(p.html)) // pages that are nested too deeply fail, and still count
	}
	return processorTime() - began
}

// report writes a row of scores for each extractor, and one for each type of page.
func report(out io.Writer, pages []page, extractors []extractor, perPage bool) error {
	parse := parsing(pages)
	fmt.Fprintf(out, "%d pages\n\n", len(pages))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "extractor\tpages\twords P\tR\tF1\tof four P\tR\tF1\tphrases P\tR\tF1\t× parsing\t")
	for _, e := range extractors {
		s, err := measure(pages, e, func(p page, text string) {
			if perPage && p.hasText {
				precision, recall := overlap(p.text, text)
				fmt.Fprintf(out, "%s %s %s %.3f %.3f %.3f\n", e.name, p.name, p.kind, precision, recall,
					harmonic(precision, recall))
			}
		})
		if err != nil {
			return err
		}
		s.write(w, e, parse)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return reportCode(out, pages)
}

func (s scores) write(w io.Writer, e extractor, parse time.Duration) {
	cost := "-"
	if !e.outside {
		cost = fmt.Sprintf("%.2f", float64(s.used)/float64(parse))
	}
	row(w, e.name, s.all, cost)
	if len(s.byKind) == 1 {
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(s.byKind)) {
		row(w, e.name+", "+kind, *s.byKind[kind], "")
	}
}

func row(w io.Writer, name string, t tally, cost string) {
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t\n", name, t.pages, t.words(), t.inRuns(), t.phrases(), cost)
}

// reportCode reports how much of the code in the content is intact, over all pages and by type of page.
func reportCode(out io.Writer, pages []page) error {
	all := map[string]*listings{}
	for _, p := range pages {
		doc, err := document(p.html)
		if err != nil {
			return err
		}
		if all[p.kind] == nil {
			all[p.kind] = &listings{}
		}
		all[p.kind].add(p, doc)
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		if l := all[kind]; l.all > 0 {
			fmt.Fprintf(out, "\ncode intact %s: %d of %d\n", kind, l.intact, l.all)
		}
	}
	return nil
}
