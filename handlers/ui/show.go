package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// This file turns values of the API into text and pictures for people: times, sizes, statuses,
// changes, progress bars and plots.
//
// All its functions are pure: they depend only on their arguments. Templates call them through [funcs].

// icon returns a picture of static/icons.svg, by its name. Screen readers pass it over.
func icon(name string) template.HTML {
	return template.HTML(`<svg class="i" aria-hidden="true"><use href="` + Root + `/static/icons.svg#` + name + `"/></svg>`)
}

// choose returns the first text if a statement holds, else the second.
func choose(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
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

// nextOf returns when an item is tried next: with its host, if it waits for that.
func nextOf(it api.Item) time.Time {
	if it.WaitsFor != nil {
		return it.WaitsFor.NextTry
	}
	return it.NextCrawlAt
}

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
		return "warn"
	}
	return "quiet"
}

// meaning says a status in the words of people.
func meaning(s api.Status) string {
	return map[api.Status]string{
		api.StatusIndexed: "read", api.StatusCrawled: "read, not searchable yet", api.StatusPending: "not read yet",
		api.StatusError: "cannot be read", api.StatusOutOfScope: "left out", api.StatusGone: "gone",
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
	return "warn"
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

// kindWord says what has changed.
func kindWord(k api.ChangeKind) string {
	kinds, _ := form.Of[api.ChangeFilter]().Field("kind")
	return kinds.Text(string(k))
}

// whyShown returns why there is a change, if that is more than its difference says.
func whyShown(c api.FeedChange) string {
	if c.Kind == api.ChangeContent && len(c.Passages) > 0 {
		return ""
	}
	return whyBeside(c)
}

// whyBeside returns why there is a change, without the values, which a page shows by themselves.
func whyBeside(c api.FeedChange) string { return letter.WhyBeside(c.Why, c.Fields) }

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

// midnight returns the beginning of the day of a time, in a zone.
func midnight(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// dayName returns the name of the day that begins at a time, such as today, in the zone of that time.
func dayName(now, day time.Time) string {
	switch today := midnight(now, day.Location()); {
	case day.Equal(today):
		return "Today"
	case day.Equal(midnight(today.AddDate(0, 0, -1), day.Location())):
		return "Yesterday"
	}
	return day.Format("Monday, 2 January 2006")
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

// sentence writes a reason as a sentence.
func sentence(why string) string {
	if why == "" {
		return ""
	}
	return strings.TrimSuffix(capital(why), ".") + "."
}

// capital returns a text that begins with a capital letter.
func capital(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:n]) + text[n:]
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
