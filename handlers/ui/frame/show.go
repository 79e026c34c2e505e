package frame

import (
	"html/template"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// This file turns values of the API into text and pictures for people: times, sizes, statuses, changes, progress
// bars and plots.
//
// All its functions are pure: they depend only on their arguments. Templates call them through [Funcs].

// Funcs are the functions that every template may call.
var Funcs = template.FuncMap{
	"add": func(a, b int) int { return a + b },
	"int": func(n int64) int { return int(n) },
	"of":  func(items map[api.Status]int, s api.Status) int { return items[s] },

	"ago": words.Ago, "stamp": words.Stamp, "iso": iso, "rfc3339": rfc3339, "at": at, "dayName": dayName,
	"bytes": words.Size, "thousands": words.Thousands, "count": words.Count, "percent": words.Percent,
	"pct": share, "known": known,
	"dash": dash, "short": short, "some": Some, "external": External, "address": api.Address,

	"bar": NewBar, "periods": func() []Period { return periods }, "since": since,
	"statuses": api.Statuses, "meaning": meaning, "tone": tone, "stateTone": stateTone,
	"kindTone": kindTone, "kindWord": kindWord, "silencedWord": silencedWord,
	"changeTitle": ChangeTitle, "whyBeside": whyBeside, "changeExtent": letter.Extent,
	"shownOf": api.ShownOf, "tableNote": letter.TableNote, "rowSign": rowSign,
	"changeTypes": func() []string { return []string{"url", "file", "entry"} },
	"name":        ItemTitle,
	"sourceOf":    itemSource,
}

// Choice is one option of a select element.
type Choice struct{ Value, Text string }

// Choices makes choices from pairs. Each pair is a value followed by its text.
func Choices(pairs ...string) (out []Choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Choice{pairs[i], pairs[i+1]})
	}
	return out
}

// Chip is a filter, with a link that turns the filter on or off.
type Chip struct {
	Text, To string
	On       bool
}

// since returns the ages to which a search can be narrowed.
func since() []Choice {
	return Choices("", "any time", "day", "today", "week", "this week", "month", "this month", "year", "this year")
}

// Bar is the progress of a piece of work.
type Bar struct {
	Done, Of int // Of is 0 when the total is not known
	What     string
}

// NewBar returns a bar for the given number of done parts and the total. A number above the total is shown as the
// total.
func NewBar(done, of int, what string) Bar { return Bar{min(done, of), of, what} }
