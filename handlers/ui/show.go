package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// This file turns values of the API into text and pictures for people: times, sizes, statuses,
// changes, progress bars and plots.
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

	"bar": newBar, "periods": func() []plotPeriod { return periods }, "since": since,
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

// newBar returns a bar for the given number of done parts and the total. A number above the total
// is shown as the total.
func newBar(done, of int, what string) progressBar { return progressBar{min(done, of), of, what} }

// itemTitle returns the title of an item, or the address of its source if it has none.
func itemTitle(it api.Item) string { return cmp.Or(it.Title, itemSource(it)) }

// itemSource returns the address of an item's source.
func itemSource(it api.Item) string { return cmp.Or(it.DisplaySource, it.NormalizedSource) }

// bodies returns, of all captures with the same bytes, only the one that was read last. The others
// would add nothing to a comparison of texts, because stored bytes are always read by today's
// rules.
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

// stateTone returns the CSS class for the colour of a state. The state is that of a run, a source,
// a rebuild, a batch, an import or one of its lines.
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

// iso formats a time for programs.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// rfc3339 formats a time as forms send it; "" for the zero time.
func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return iso(t)
}

// at parses a time that an entry stores as text. It returns the zero time if the entry has none.
func at(text string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t
}

// dayName returns the name of the day that begins at a time, such as today, in the zone of that time.
func dayName(now, day time.Time) string {
	begin := func(days int) time.Time {
		year, month, date := now.In(day.Location()).Date()
		return time.Date(year, month, date-days, 0, 0, 0, 0, day.Location())
	}
	switch {
	case day.Equal(begin(0)):
		return "Today"
	case day.Equal(begin(1)):
		return "Yesterday"
	}
	return day.Format("Monday, 2 January 2006")
}

// share returns a part of a whole in percent, for the width of a bar.
func share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// known formats a number or a flag that may be missing.
func known(v any) string {
	switch v := v.(type) {
	case *int64:
		if v != nil {
			return words.Thousands(int(*v))
		}
	case *float64:
		if v != nil {
			return fmt.Sprintf("%.2f", *v)
		}
	case *bool:
		if v != nil {
			return map[bool]string{true: "yes", false: "no"}[*v]
		}
	}
	return "–"
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// short returns the beginning of a digest, long enough to distinguish the digest from others.
func short(digest string) string { return digest[:min(12, len(digest))] }

// some returns the first names, followed by the number of the others.
func some(names []string) string {
	const some = 3
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:some], ", ") + " and " + words.Count(len(names)-some, "other")
}

// external returns a crawled address if it is safe as the target of a link. It returns "" for other
// addresses, such as that of a script.
func external(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
