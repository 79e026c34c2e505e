package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// tags are the tags that HTML parsers treat specially.
var tags = strings.Fields(`a address b base blockquote body br button caption center code col dd details div dl dt em
	font form frameset h1 head hr html i iframe img input li link main math meta nobr noscript object ol optgroup option p plaintext
	pre rb rp ruby script section select span style svg table tbody td template textarea th thead title tr u ul xmp x-y`)

// repetitions are the ways in which a tag may be repeated.
var repetitions = []struct {
	name string
	tag  func(tag string, i int) string
}{
	{"<t>", func(tag string, _ int) string { return "<" + tag + ">" }},
	{"<t aN>", func(tag string, i int) string { return fmt.Sprintf("<%s a%x>", tag, i) }},
	{"x</t>", func(tag string, _ int) string { return "x</" + tag + ">" }},
	{"<t>x</t>", func(tag string, _ int) string { return "<" + tag + ">x</" + tag + ">" }},
	{"<t><p>x", func(tag string, _ int) string { return "<" + tag + "><p>x" }},
	{"one tag, aN aN…", nil}, // see markup
}

// positions are the contexts of the repeated tags.
var positions = []struct{ name, before string }{
	{"alone", ""}, {"in a cell", "<table><tr><td>"}, {"400 deep", strings.Repeat("<div>", 400)},
	{"in formatting", "<b a b c><i d><a href=x>"},
}

// repetition returns a page of about size bytes that repeats a tag.
func repetition(before, tag string, form func(string, int) string, size int) []byte {
	b, after := bytes.NewBufferString(before), ""
	if form == nil {
		b.WriteString("<" + tag)
		form, after = func(_ string, i int) string { return fmt.Sprintf(" a%x", i) }, "><p>x"
	}
	for i := 0; b.Len() < size; i++ {
		b.WriteString(form(tag, i))
	}
	b.WriteString(after)
	return b.Bytes()
}

// cpuOf returns the processor time that reading a page takes: the shortest of several rounds.
func cpuOf(page []byte, rounds int) (best time.Duration, err error) {
	for i := range rounds {
		before := processorTime()
		if _, err := web.Extract(page, "text/html", "https://bench.example/", extract.Limits{}); err != nil {
			return 0, err
		}
		took := processorTime() - before
		if i == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

// form is one tag repeated in one way in one context.
type form struct {
	name  string
	page  func(size int) []byte
	once  time.Duration
	ratio float64
}

// markup measures how the time to read a page grows with its size, for each tag repeated in each way and context. For
// the slowest forms it also measures the longest time that a page can take: at 5 MB, or just below the number of tags
// above which the parser ignores structure.
func (b *bench) markup() error {
	const size, slowest, shown = 128 << 10, 40, 5
	all, err := forms(size)
	if err != nil {
		return err
	}
	few := all[:slowest] // the other forms are too fast to measure
	for i := range few {
		once, err := cpuOf(few[i].page(2*size), 6)
		if err != nil {
			return err
		}
		twice, err := cpuOf(few[i].page(4*size), 6)
		if err != nil {
			return err
		}
		few[i].ratio = float64(twice) / float64(once)
	}
	section(fmt.Sprintf("Hostile markup: the slowest %d of %d forms", shown, len(all)), "form", "t(2n)/t(n)",
		"CPU at 5 MB", "CPU with the most tags that are parsed")
	for _, f := range few[:shown] {
		whole, err := cpuOf(f.page(5<<20), 1)
		if err != nil {
			return err
		}
		perTag := float64(size) / float64(bytes.Count(f.page(size), []byte("<")))
		most, err := cpuOf(f.page(min(5<<20, int(perTag*248_000))), 1)
		if err != nil {
			return err
		}
		row(f.name, f.ratio, fmt.Sprintf("%.2f s", whole.Seconds()), fmt.Sprintf("%.2f s", most.Seconds()))
	}
	worst := slices.MaxFunc(few, func(a, b form) int { return cmp.Compare(a.ratio, b.ratio) })
	row(fmt.Sprintf("largest ratio among the slowest %d: %s", slowest, worst.name), worst.ratio, "", "")
	return nil
}

// forms returns all repetitions, the slowest first.
func forms(size int) (all []form, err error) {
	for _, place := range positions {
		for _, r := range repetitions {
			for _, tag := range tags {
				f := form{name: fmt.Sprintf("`%s` for %s, %s", r.name, tag, place.name)}
				f.page = func(size int) []byte { return repetition(place.before, tag, r.tag, size) }
				if f.once, err = cpuOf(f.page(size), 2); err != nil {
					return nil, err
				}
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(a, b form) int { return cmp.Compare(b.once, a.once) })
	return all, nil
}
