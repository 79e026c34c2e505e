package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/measure/internal/product"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/feed"
)

// A course is a page with one fact that moves again and again, and how the page is watched. Each field has one of the
// choices of its axis.
type course struct {
	fact, shape, rhythm, ticker, layout, alert string
	seed                                       uint64
}

// An axis is what courses differ in.
type axis struct {
	name    string
	choices []string
	cycles  bool // one choice after the other; else they are drawn
	of      func(*course) *string
}

var courseAxes = []axis{
	{"fact", []string{"price", "rate", "level", "count", "status", "hours", "last row"}, false,
		func(c *course) *string { return &c.fact }},
	{"shape", []string{"steps", "drifting", "alternating", "returning"}, false,
		func(c *course) *string { return &c.shape }},
	{"rhythm", []string{"2h", "1d", "3d", "10d", "30d"}, true, func(c *course) *string { return &c.rhythm }},
	{"ticker", []string{"none", "own line", "same line"}, true, func(c *course) *string { return &c.ticker }},
	{"place", []string{"prose", "table", "cards", "JSON"}, false, func(c *course) *string { return &c.layout }},
	{"alert", []string{"none", "15m", "1d"}, true, func(c *course) *string { return &c.alert }},
}

const day = 24 * time.Hour

var spans = map[string]time.Duration{"15m": 15 * time.Minute, "2h": 2 * time.Hour, "1d": day, "3d": 3 * day,
	"10d": 10 * day, "30d": 30 * day}

// The ends of a course: whatever comes first.
const (
	courseMoves  = 40 // that were seen
	courseLength = 400 * day
)

// coursesOf returns so many courses. All combinations of how they move and are watched take turns; what the facts are,
// and where, is drawn.
func coursesOf(seed uint64, n int) []course {
	rng, all := rand.New(rand.NewPCG(seed, 0)), make([]course, n)
	for i := range all {
		rest := i
		for _, a := range courseAxes {
			choice := rng.IntN(len(a.choices))
			if a.cycles {
				rest, choice = rest/len(a.choices), rest%len(a.choices)
			}
			*a.of(&all[i]) = a.choices[choice]
		}
		all[i].seed = rng.Uint64()
	}
	return all
}

// isDaily reports whether the fact moves once a day or less often.
func (c *course) isDaily() bool { return spans[c.rhythm] >= day }

// values returns what the fact is before each move, and after the last one. No two in a row are the same.
func (c *course) values(rng *rand.Rand) []string {
	const season = 8 // after as many moves the fact is again what it was
	out, level := make([]string, courseLength/spans[c.rhythm]*2), 100+rng.IntN(300)
	for i := range out {
		step := 1 + rng.IntN(3)
		switch c.shape {
		case "steps":
			step = (1 + rng.IntN(40)) * (1 - 2*rng.IntN(2))
		case "alternating":
			step = 5 - 10*(i%2)
		}
		if level += step; level < 20 || level > 900 {
			level = 100 + rng.IntN(300)
		}
		if out[i] = c.value(level); c.shape == "returning" && i >= season {
			out[i] = out[i-season]
		}
		if i > 0 && out[i] == out[i-1] { // the bound, or words that are few
			level++
			out[i] = c.value(level)
		}
	}
	return out
}

// value words a number as the fact has it.
func (c *course) value(n int) string {
	statuses := []string{"open to all ships", "closed until further notice", "full", "open to small boats only",
		"out of service", "on request", "reserved for the fleet"}
	switch c.fact {
	case "price":
		return fmt.Sprintf("%d.%02d EUR a night", n/4, n%4*25)
	case "rate":
		return fmt.Sprintf("1.%04d USD", n*7%10000)
	case "level":
		return fmt.Sprintf("%d cm above zero", n)
	case "count":
		return fmt.Sprintf("%d berths left", n)
	case "status":
		return statuses[n%len(statuses)]
	case "hours":
		return fmt.Sprintf("from %d:%02d to %d:30", 5+n%5, n%4*15, 14+n%7)
	}
	return fmt.Sprintf("%d.%02d m at noon", n/100, n%100)
}

// courseCount counts what became of the moves of a course.
type courseCount struct {
	checks, messages int
	seen, reported   int // moves that a check saw, and those that a message of that check has with the new value
	idle             int // messages of checks that saw no move
	missed           []string
}

func (c *courseCount) add(o courseCount) {
	c.checks, c.messages, c.seen = c.checks+o.checks, c.messages+o.messages, c.seen+o.seen
	c.reported, c.idle = c.reported+o.reported, c.idle+o.idle
	c.missed = append(c.missed, o.missed...)
}

// run watches the page of a course by the product's own schedule, at most so many checks.
func (c *course) run(ctx context.Context, most int) (count courseCount, err error) {
	rng := rand.New(rand.NewPCG(c.seed, 1))
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	p := coursePage{course: c, values: c.values(rng)}
	p.moves = c.moves(rng, began, len(p.values)-1)
	site := func(at time.Time) (string, []byte, error) {
		contentType, body := p.body(at)
		return contentType, body, nil
	}
	settings := api.Patch{}
	if c.alert != "none" {
		settings = product.Every(spans[c.alert])
	}
	w, err := product.New(ctx, "https://port.example/", settings, site, began, rng.Float64)
	if err == nil {
		err = w.Rule(ctx, "default", api.RuleFilter{})
	}
	for err == nil && count.checks < most && count.seen < courseMoves && w.Now().Sub(began) < courseLength {
		var due time.Time
		if due, err = w.Due(ctx); err != nil {
			break
		}
		was := p.at
		w.PassTo(due)
		if err = w.Work(ctx); err == nil {
			count.check(&p, was, w.Messages())
		}
	}
	return count, err
}

// moves returns the times of the moves, which are not quite regular. The first one may be soon.
func (c *course) moves(rng *rand.Rand, began time.Time, n int) []time.Time {
	out := make([]time.Time, n)
	late := rng.Float64()
	for i := range out {
		began = began.Add(time.Duration(late * float64(spans[c.rhythm])))
		out[i], late = began, 0.8+0.4*rng.Float64()
	}
	return out
}

// check counts a check before which the page had been seen with another value, or the same.
func (c *courseCount) check(p *coursePage, was int, told []product.Message) {
	c.checks++
	c.messages += len(told)
	old, now := p.values[was], p.values[p.at]
	if now == old {
		c.idle += len(told)
		return
	}
	c.seen++
	has := func(q api.ChangedPassage) bool {
		return q.Op == string(feed.Added) && strings.Contains(dom.Fold(q.Text), dom.Fold(now))
	}
	if slices.ContainsFunc(told, func(m product.Message) bool { return slices.ContainsFunc(m.Change.Passages, has) }) {
		c.reported++
		return
	}
	said := "nothing"
	for _, m := range told {
		said = string(m.Change.Kind) + " " + m.Title
	}
	c.missed = append(c.missed, fmt.Sprintf("%s: check %d, %s → %s, told: %s", p.course, c.checks, old, now, said))
}

func (c *course) String() string {
	var out []string
	for _, a := range courseAxes {
		out = append(out, a.name+" "+cmp.Or(*a.of(c), "?"))
	}
	return strings.Join(out, ", ")
}
