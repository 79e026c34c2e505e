package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/measure/internal/product"
	"github.com/tidemark/tidemark/pkg/api"
)

// TestH13CoursesAreTold checks some courses of each place: the product's schedule sees moves, and each move that it
// sees of a fact that moves once a day or less often is told.
func TestH13CoursesAreTold(t *testing.T) {
	const most, least = 25, 12
	var few []course
	for _, place := range []string{"prose", "table", "cards", "JSON"} {
		few = append(few, course{"price", "steps", "1d", "none", place, "none", 1},
			course{"last row", "drifting", "3d", "own line", place, "1d", 2})
	}
	counts, err := runCourses(t.Context(), few, most)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range counts {
		missed := 0
		if few[i].layout == "JSON" && few[i].ticker != "none" {
			missed = 1 // before the ticker is known, it and the names of a new entry are the four passages
		}
		if c.checks != most || c.seen-c.reported > missed || few[i].rhythm == "1d" && c.seen < least {
			t.Errorf("%s: %+v", &few[i], c)
		}
	}
}

// TestCoursesAreSampled checks that a sample has all choices, the same ones each time, and that no course keeps its
// value at a move.
func TestCoursesAreSampled(t *testing.T) {
	const n = 60
	all, again, other := coursesOf(1, n), coursesOf(1, n), coursesOf(2, n)
	if len(all) != n || all[n-1] != again[n-1] || all[n-1] == other[n-1] {
		t.Errorf("%d courses: %v", len(all), all[n-1])
	}
	for _, a := range courseAxes {
		found := map[string]bool{}
		for i := range all {
			found[*a.of(&all[i])] = true
		}
		if len(found) != len(a.choices) {
			t.Errorf("%s: %v", a.name, found)
		}
	}
	for _, c := range coursesOf(3, 5000) {
		values := c.values(rand.New(rand.NewPCG(c.seed, 1)))
		for i := 1; i < len(values); i++ {
			if values[i] == values[i-1] {
				t.Fatalf("%s: %q twice", &c, values[i])
			}
		}
		if c.shape == "returning" && c.fact == "level" && values[12] != values[4] {
			t.Errorf("%s: %v", &c, values)
		}
	}
}

// TestCoursePages checks that the fact moves with time, the ticker with each request, and both where the course says.
func TestCoursePages(t *testing.T) {
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, place := range []string{"prose", "table", "cards", "JSON"} {
		p := coursePage{course: &course{fact: "price", ticker: "same line", layout: place},
			values: []string{"49 EUR", "54 EUR"}, moves: []time.Time{began.Add(time.Hour)}}
		_, first := p.body(began)
		_, second := p.body(began.Add(time.Hour))
		if !strings.Contains(string(first), "49 EUR; harbour count 48124 ") ||
			!strings.Contains(string(second), "54 EUR; harbour count 48126 ") {
			t.Errorf("%s:\n%s\n%s", place, first, second)
		}
	}
}

// TestCourseCounts checks what counts as told.
func TestCourseCounts(t *testing.T) {
	message := func(op, text string) []product.Message {
		return []product.Message{{Change: api.FeedChange{Passages: []api.ChangedPassage{{Op: op, Text: text}}}}}
	}
	p := &coursePage{course: &course{}, values: []string{"49 EUR", "54 EUR"}, at: 1}
	var c courseCount
	c.check(p, 0, message("added", "It costs 54 EUR."))
	c.check(p, 0, message("removed", "It costs 54 EUR."))
	c.check(p, 0, nil)
	c.check(p, 1, message("added", "Count 7"))
	if c.checks != 4 || c.seen != 3 || c.reported != 1 || c.idle != 1 || c.messages != 3 || len(c.missed) != 2 {
		t.Errorf("%+v", c)
	}
}
