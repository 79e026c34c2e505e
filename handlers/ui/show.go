package ui

import (
	"cmp"
	"html/template"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// This file turns values of the API into text and pictures for people: times, sizes, statuses, changes, progress
// bars and plots.
//
// All its functions are pure: they depend only on their arguments. Templates call them through [funcs].

// funcs are the functions that every template may call.
var funcs = template.FuncMap{
	"add": func(a, b int) int { return a + b },
	"int": func(n int64) int { return int(n) },
	"of":  func(items map[api.Status]int, s api.Status) int { return items[s] },

	"ago": words.Ago, "stamp": words.Stamp, "iso": iso, "rfc3339": rfc3339, "at": at, "dayName": dayName,
	"bytes": words.Size, "thousands": words.Thousands, "count": words.Count, "percent": words.Percent,
	"pct": share, "known": known,
	"dash": dash, "short": short, "some": some, "external": external, "address": api.Address,

	"bar": newBar, "periods": func() []Period { return periods }, "since": since,
	"statuses": api.Statuses, "meaning": meaning, "tone": tone, "stateTone": stateTone,
	"kindTone": kindTone, "kindWord": kindWord, "silencedWord": silencedWord,
	"changeTitle": changeTitle, "whyBeside": whyBeside, "changeExtent": letter.Extent,
	"shownOf": api.ShownOf, "tableNote": letter.TableNote, "rowSign": rowSign,
	"changeTypes": func() []string { return []string{"url", "file", "entry"} },
	"name":        itemTitle,
	"sourceOf":    itemSource,
}

// choice is one option of a select element.
type choice struct{ Value, Text string }

// choices makes choices from pairs. Each pair is a value followed by its text.
func choices(pairs ...string) (out []choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, choice{pairs[i], pairs[i+1]})
	}
	return out
}

// chip is a filter, with a link that turns the filter on or off.
type chip struct {
	Text, To string
	On       bool
}

// since returns the ages to which a search can be narrowed.
func since() []choice {
	return choices("", "any time", "day", "today", "week", "this week", "month", "this month", "year", "this year")
}

// progressBar is the progress of a piece of work.
type progressBar struct {
	Done, Of int // Of is 0 when the total is not known
	What     string
}

// newBar returns a bar for the given number of done parts and the total. A number above the total is shown as the
// total.
func newBar(done, of int, what string) progressBar { return progressBar{min(done, of), of, what} }

// itemTitle returns the title of an item, or the address of its source if it has none.
func itemTitle(it api.Item) string { return cmp.Or(it.Title, itemSource(it)) }

// itemSource returns the address of an item's source.
func itemSource(it api.Item) string { return cmp.Or(it.DisplaySource, it.NormalizedSource) }

// bodies returns, of all captures with the same bytes, only the one that was read last. The others would add nothing
// to a comparison of texts, because stored bytes are always read by today's rules.
func bodies(captures []api.Capture) (out []api.Capture) {
	seen := map[string]bool{}
	for _, c := range captures {
		if !seen[c.SHA256] {
			out = append(out, c)
		}
		seen[c.SHA256] = true
	}
	return out
}

// tone returns the CSS class for the colour of a status.
func tone(s api.Status) string {
	switch s {
	case api.StatusIndexed:
		return "good"
	case api.StatusError:
		return "bad"
	case api.StatusPending, api.StatusCrawled:
		return "wait"
	}
	return "quiet"
}

// meaning explains a status.
func meaning(s api.Status) string {
	return map[api.Status]string{
		api.StatusIndexed: "found by searches", api.StatusCrawled: "fetched and stored, not indexed yet",
		api.StatusPending:    "registered, not fetched yet",
		api.StatusError:      "the last check failed; it will be retried",
		api.StatusOutOfScope: "excluded by robots.txt, noindex or a rule, or another item stands for it",
		api.StatusGone:       "missing on several checks in a row; still checked occasionally",
	}[s]
}

// stateTone returns the CSS class for the colour of a state. The state is that of a run, a source, a rebuild, a
// batch, an import or one of its lines.
func stateTone(state string) string {
	switch strings.ToLower(state) {
	case "completed", "done", "enriched", "sent":
		return "good"
	case "failed":
		return "bad"
	case "cancelled", "skipped":
		return "quiet"
	}
	return "wait"
}

// changeTitle returns a title for the item or entry that has changed.
func changeTitle(c api.FeedChange) string {
	for _, name := range []string{c.Title, c.URL, c.ItemID} {
		if name != "" {
			return name
		}
	}
	return c.EntryID
}

// kindTones are the CSS classes for the colours of kinds of change; other kinds have no colour.
var kindTones = map[api.ChangeKind]string{"new": "good", "back": "good", "recovered": "good", "watchRestored": "good",
	"listed": "good",
	"gone":   "bad", "failing": "bad", "watchBroken": "bad", "reverted": "wait"}

func kindTone(k api.ChangeKind) string {
	if tone := kindTones[k]; tone != "" {
		return tone
	}
	return "quiet"
}

// kindWord says what has changed.
func kindWord(k api.ChangeKind) string {
	kinds, _ := form.Of[api.ChangeFilter]().Field("kind")
	return kinds.Text(string(k))
}

// whyBeside returns why there is a change, without the values, which a page shows by themselves.
func whyBeside(c api.FeedChange) string { return letter.WhyBeside(c.Why, c.Fields) }

// rowSign returns what is shown before a row of a table, by what happened to the row.
func rowSign(op string) string {
	return map[string]string{"added": "+", "removed": "−", "moved": "moved:"}[op]
}

// silencedWord says for what a silenced change is in the list.
func silencedWord(c api.FeedChange) string {
	if c.Kind == "field" {
		return "for conditions of rules"
	}
	return "silenced"
}
