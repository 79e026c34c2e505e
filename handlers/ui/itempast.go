package ui

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// pastShown is the number of readings that the page of an item lists.
const pastShown = 20

// A reading is a change of a page with what became of it.
type reading struct {
	At       time.Time
	When     string // the time, as short as people say it
	Text     string // what changed, in the page's own words
	To       string // the address of the page about it
	Outcomes []outcomeBadge
	Again    []api.Delivery // messages that failed and can be sent again
	Unasked  bool           // nobody asked to be told of it
}

// An outcomeBadge says of a reading who was told, or why nobody was.
type outcomeBadge struct{ Tone, Icon, Text string }

// pastData is the history of a page.
type pastData struct {
	Counts   *api.FeedChange // the last change that counts, on the first page of the history
	Outcomes []outcomeBadge  // what became of it
	Readings []reading
	Which    string // all, told or not
	Next     string // the continuation
	First    bool   // this is the first page of the history
	Newer    bool   // some readings are newer than the last change that counts
}

// pastOf reads the history of an item: what changed, and what became of it.
func (v *visit) pastOf(it api.ItemDetail, q url.Values, now time.Time) (d pastData) {
	d = pastData{Which: cmp.Or(q.Get("h"), "all"), First: q.Get("after") == ""}
	page := ask(v, api.ListChanges, api.ChangeQuery{ItemID: it.ID, Outcome: true, Silenced: "true",
		Top: pastShown, Continuation: q.Get("after")})
	d.Next = page.Continuation
	page.Changes, _ = withoutEntries(page.Changes, false)
	last := -1
	if d.First {
		last = slices.IndexFunc(page.Changes, isNews)
	}
	seen := map[string]bool{}
	for i, c := range page.Changes {
		seen[c.To] = true
		r := reading{At: c.At, Text: changeLine(c), To: changePath(c), Outcomes: outcomesOf(c, now.Location())}
		if i == last {
			d.Counts, d.Outcomes, d.Newer = &page.Changes[i], r.Outcomes, len(d.Readings) > 0
			continue
		}
		if told := isTold(c); d.Which == "told" && !told || d.Which == "not" && told {
			continue
		}
		if c.Kind == api.ChangeNew {
			r.Text, r.To = "First reading", readPath(it.ID, c.To)
		}
		r.Unasked = len(c.Outcome) == 0 && c.Kind != api.ChangeNew && !c.Silenced && c.Small == nil
		r.Again = v.failedOf(c)
		d.Readings = append(d.Readings, r)
	}
	if d.Next == "" && d.Which != "told" {
		d.Readings = append(d.Readings, older(it, seen, page.Changes)...)
	}
	for i := range d.Readings {
		d.Readings[i].When = shortTime(now, d.Readings[i].At)
	}
	return d
}

// shortTime writes a time as people say it: today 09:12, or 27 Nov 16:40.
func shortTime(now, t time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "today " + t.Format("15:04")
	case now.Sub(t) < 300*24*time.Hour:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// older returns the readings of which the list of changes knows nothing any more.
func older(it api.ItemDetail, seen map[string]bool, listed []api.FeedChange) (out []reading) {
	for _, c := range it.Changes {
		if seen[c.SHA256] || len(listed) > 0 && c.At.After(listed[len(listed)-1].At) || len(out) == pastShown {
			continue
		}
		r := reading{At: c.At, Text: cmp.Or(c.Fields, extent(c), kindWord(c.Kind)), To: readPath(it.ID, c.SHA256)}
		if c.Before != "" && c.Before != c.SHA256 {
			r.To = "/items/" + it.ID + "/diff?from=" + c.Before + "&to=" + c.SHA256
		}
		if c.Kind == api.ChangeNew {
			r.Text = "First reading"
		}
		out = append(out, r)
	}
	return out
}

// isNews reports whether a change is one that people look for: of what the page says, neither small nor ignored.
func isNews(c api.FeedChange) bool {
	return !c.Silenced && c.Small == nil && c.Kind != api.ChangeNew && (len(c.Passages) > 0 || len(c.Fields) > 0)
}

// failedOf returns the messages about a change that no receiver accepted.
func (v *visit) failedOf(c api.FeedChange) []api.Delivery {
	if !slices.ContainsFunc(c.Outcome, func(o api.Outcome) bool { return o.State == api.OutcomeFailed }) {
		return nil
	}
	why := ask(v, api.ExplainChange, api.ChangeID{ID: c.ID})
	return slices.DeleteFunc(why.Deliveries, func(d api.Delivery) bool { return d.State != "failed" })
}

// changePath returns the path of the page about a change.
func changePath(c api.FeedChange) string { return "/changes/" + url.PathEscape(c.ID) }

// readPath returns the path of the page that shows a reading.
func readPath(id, digest string) string {
	return itemPath(id) + "/captures/" + url.PathEscape(digest) + "/read"
}

// changeLine says in a line what changed.
func changeLine(c api.FeedChange) string {
	var told []string
	for _, f := range c.Fields {
		if f.Reported && f.Text != "" {
			told = append(told, valueName(f.Name)+" "+f.Text)
		}
	}
	if len(told) > 0 {
		return words.Ellipsis(strings.Join(told, ", "), 160)
	}
	if line := lineOf(c.Passages); line != "" {
		return words.Ellipsis(line, 160)
	}
	return words.Ellipsis(cmp.Or(c.Why, kindWord(c.Kind)), 160)
}

// lineOf says in a line what the first passage was and is.
func lineOf(passages []api.ChangedPassage) string {
	if len(passages) == 0 {
		return ""
	}
	first := passages[0]
	if len(passages) > 1 && first.Op == "removed" && passages[1].Op == "added" && len(first.Pieces) > 0 {
		return words.Ellipsis(first.Text, 70) + " → " + words.Ellipsis(passages[1].Text, 70)
	}
	shown := []api.ChangedPassage{{Text: first.Text, Op: first.Op}}
	text, _, _ := strings.Cut(letter.Difference(api.FeedChange{Passages: shown}), "\n")
	return text
}

// outcomesOf says who was told of a change, or why nobody was; the most telling outcomes first, at most three.
func outcomesOf(c api.FeedChange, zone *time.Location) (out []outcomeBadge) {
	switch {
	case c.Kind == api.ChangeNew:
		return []outcomeBadge{{"", "check", "watched"}}
	case c.Silenced && len(c.Ignored) > 0:
		return []outcomeBadge{{"", "hide", "ignored: " + ignoredWords(c.Ignored[0].Rule)}}
	case c.Silenced:
		return []outcomeBadge{{"", "hide", "ignored"}}
	}
	all := slices.Clone(c.Outcome)
	slices.SortStableFunc(all, func(a, b api.Outcome) int {
		return slices.Index(outcomes, a.State) - slices.Index(outcomes, b.State)
	})
	for _, o := range all[:min(len(all), 3)] {
		if badge := outcomeOf(o, zone); !slices.Contains(out, badge) {
			out = append(out, badge)
		}
	}
	switch {
	case c.Small != nil && !isTold(c):
		return []outcomeBadge{{"", "hide", "small: " + c.Small.Words()}}
	case len(out) == 0:
		return []outcomeBadge{{"", "bell", "not told: nobody asked"}}
	}
	return out
}

func outcomeOf(o api.Outcome, zone *time.Location) outcomeBadge {
	until := ""
	if !o.Until.IsZero() {
		until = " until " + o.Until.In(zone).Format("2 Jan 15:04")
	}
	to := cmp.Or(strings.Join(o.Channels, ", "), o.Name)
	because := peoples.Replace(o.Why)
	if name, rest, has := strings.Cut(because, ": "); has && !strings.Contains(name, " ") {
		because = rest // the value need not be named: the reading says what it is about
	}
	why := func(text string) string { return words.Ellipsis(strings.TrimSuffix(text+": "+because, ": "), 120) }
	switch o.State {
	case api.OutcomeSent:
		return outcomeBadge{"good", "mail", "told " + to}
	case api.OutcomeGathered:
		return outcomeBadge{"tide", "clock", "gathered" + until}
	case api.OutcomeMuted:
		return outcomeBadge{"warn", "mute", "muted" + until}
	case api.OutcomeCannot:
		return outcomeBadge{"bad", "warn", why("could not be told")}
	case api.OutcomeFailed:
		return outcomeBadge{"bad", "warn", why("could not be sent")}
	case api.OutcomeOff:
		return outcomeBadge{"", "bell", "not told: the alert is switched off"}
	case api.OutcomeSilenced:
		return outcomeBadge{"", "hide", why("ignored")}
	}
	return outcomeBadge{"", "bell", why("not told")}
}

// ignoredWords says by what a change was ignored.
func ignoredWords(rule string) string {
	switch kind, rest, _ := strings.Cut(rule, ": "); kind {
	case "ignore":
		return "lines like “" + words.Ellipsis(patternWords(rest), 60) + "”"
	case "include":
		rest = strings.TrimSuffix(strings.TrimPrefix(rest, "only "), " is watched")
		return "only " + words.Ellipsis(partWords(rest), 60) + " is watched"
	case "exclude":
		return words.Ellipsis(partWords(rest), 60) + " is left out"
	case "list":
		return "new entries are told one by one"
	case "fields":
		return "a value of which nobody asked to be told"
	}
	return words.Ellipsis(rule, 80)
}
