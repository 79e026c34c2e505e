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

// This file makes the lines of the list of changes: the days, what is small, where the reader stopped, and how people
// were told.

// changesOfDay are the changes of one day in the time zone of the reader.
type changesOfDay struct {
	Day     time.Time // its beginning
	Changes []shownChange
	Small   smallChanges

	mark int // how many of the changes stand above the mark; -1 if it is not in this day
}

// A panel is a part of a day: what stands above or below the mark of the reader.
type panel struct {
	Marked  bool // the mark stands above it
	Ends    bool // nothing stands below the mark
	Changes []shownChange
	Small   *smallChanges
}

// Panels returns the parts of the day.
func (d changesOfDay) Panels() (out []panel) {
	last := panel{Changes: d.Changes}
	if d.mark >= 0 {
		if d.mark > 0 {
			out = append(out, panel{Changes: d.Changes[:d.mark]})
		}
		last = panel{Changes: d.Changes[d.mark:], Marked: true}
	}
	if d.Small.Count > 0 {
		last.Small = &d.Small
	}
	last.Ends = len(last.Changes) == 0 && last.Small == nil
	return append(out, last)
}

// mark sets the mark below the last change that the reader has not seen. With always, there is a mark also where the
// page has no such change.
func mark(days []changesOfDay, always bool) {
	at := len(days) - 1
	for i := range days {
		days[i].mark = -1
		for j, c := range days[i].Changes {
			if c.Unread {
				at, always = i, true
				days[i].mark = j + 1
			}
		}
	}
	for i := range days {
		if i != at {
			days[i].mark = -1
		} else if always && days[i].mark < 0 {
			days[i].mark = len(days[i].Changes)
		}
	}
}

// A shownChange is a change as a list shows it.
type shownChange struct {
	api.FeedChange
	Unread bool
	Also   []api.FeedChange // equal changes of other pages of the host
	Left   api.FeedChange   // the text that has the entry, and has no line; with passages if it has others
	OrMore bool             // whether more of them may be on the next page
	Told   told
	Clock  string // the time of day, as the reader's clock has it
}

// Pages returns the number of pages that have changed alike.
func (c shownChange) Pages() int { return 1 + len(c.Also) }

// fewAdded is the number of new pages of a host and a day that are still listed one by one.
const fewAdded = 2

// IsAdded reports whether this is a line for several pages of a host that were fetched for the first time.
func (c shownChange) IsAdded() bool { return c.Kind == api.ChangeNew && len(c.Also) >= fewAdded }

// IDs returns the ids of all changes of the line, as a button has them.
func (c shownChange) IDs() string {
	all := []string{c.ID}
	for _, other := range c.Also {
		all = append(all, other.ID)
	}
	if c.Left.ID != "" {
		all = append(all, c.Left.ID)
	}
	return strings.Join(all, ",")
}

// Anchor returns the id of the change's element on its page.
func (c shownChange) Anchor() string { return anchor(c.ID) }

func anchor(id string) string { return "c" + url.PathEscape(strings.ReplaceAll(id, ".", "-")) }

// headline is what a line says in large.
type headline struct {
	letter.Headline
	Fails bool
}

// headlineOf returns the headline of a change, in the words of a list.
func headlineOf(c api.FeedChange) headline {
	h := headline{letter.HeadlineOf(c), isProblem(c)}
	h.Note = strings.ReplaceAll(h.Note, "lowest until now", "lowest so far")
	if h.Fails && h.Note == "" {
		h.Note = words.Ellipsis(words.Clean(c.Why), 120)
	}
	return h
}

// isProblem reports whether a change is a problem that a person may have to solve.
func isProblem(c api.FeedChange) bool {
	return slices.Contains(strings.Split(problemKinds, ","), string(c.Kind))
}

// byDay groups changes by day, gathers equal changes of a host within a day, and marks the unread ones. What is only
// the entries of a list that were told has no line of its own.
func byDay(all, unread []api.FeedChange, zone *time.Location) (days []changesOfDay) {
	all, left := withoutEntries(all, true)
	isUnread := func(c api.FeedChange) bool {
		return slices.ContainsFunc(unread, func(u api.FeedChange) bool { return u.ID == c.ID || u.ID == left[c.ID].ID })
	}
	for len(all) > 0 {
		day := dayOf(all[0], zone)
		n := slices.IndexFunc(all, func(c api.FeedChange) bool { return !dayOf(c, zone).Equal(day) })
		if n < 0 {
			n = len(all)
		}
		var lines api.ChangeLines
		for _, c := range all[:n] {
			lines.Add(c, n)
		}
		of := changesOfDay{Day: day, mark: -1}
		for _, l := range lines.All {
			of.Changes = append(of.Changes, shownChange{
				FeedChange: l.Changes[0], Unread: slices.ContainsFunc(l.Changes, isUnread), Also: l.Changes[1:],
				Left: left[l.Changes[0].ID],
			})
		}
		of.Changes = gatherAdded(of.Changes)
		days, all = append(days, of), all[n:]
	}
	return days
}

// withoutEntries leaves out changes of a text that are only new entries of a list, of which somebody was told at the
// same check, if nobody else was told of the text. With others, it also leaves out those that have other text, if
// nobody was told of it. It returns what it leaves out, too, by the id of the first of these entries: with the passages
// of such other text.
func withoutEntries(all []api.FeedChange, others bool) (out []api.FeedChange, left map[string]api.FeedChange) {
	left = map[string]api.FeedChange{}
	for _, c := range all {
		entries := entriesBeside(c, all)
		switch only := isOnly(c, entries); {
		case only:
			c.Passages = nil
			left[entries[0].ID] = c
		case others && len(entries) > 0 && !isTold(c):
			left[entries[0].ID] = c
		default:
			out = append(out, c)
		}
	}
	return out, left
}

// entriesBeside returns the entries of which somebody was told at the check that found a change of a text.
func entriesBeside(c api.FeedChange, all []api.FeedChange) (entries []api.FeedChange) {
	if c.Listed != nil || len(c.Passages) == 0 {
		return nil
	}
	for _, e := range all {
		if e.Listed != nil && e.Listed.Title != "" && isTold(e) && e.ItemID == c.ItemID && e.To == c.To &&
			e.At.Sub(c.At).Abs() < time.Minute {
			entries = append(entries, e)
		}
	}
	return entries
}

// isOnly reports whether a change of a text consists of entries, and nobody was told of it who was not told of them.
func isOnly(c api.FeedChange, entries []api.FeedChange) bool {
	titles := 0
	isOther := func(p api.ChangedPassage) bool {
		hasIt := func(of api.ChangedPassage) bool { return strings.Contains(of.Text, p.Text) }
		isPart := func(e api.FeedChange) bool { return slices.ContainsFunc(e.Passages, hasIt) }
		isTitled := func(e api.FeedChange) bool { return strings.Contains(p.Text, e.Listed.Title) }
		if p.Op == "added" && slices.ContainsFunc(entries, isPart) {
			return false
		}
		titles++
		return p.Op != "added" || titles > len(entries) || !slices.ContainsFunc(entries, isTitled)
	}
	toldElse := func(o api.Outcome) bool {
		same := func(e api.Outcome) bool { return e.Rule == o.Rule && e.State == o.State }
		return tells(o) && !slices.ContainsFunc(entries, func(e api.FeedChange) bool {
			return slices.ContainsFunc(e.Outcome, same)
		})
	}
	return len(entries) > 0 && c.More == 0 && !slices.ContainsFunc(c.Passages, isOther) &&
		!slices.ContainsFunc(c.Outcome, toldElse)
}

// isTold reports whether somebody was told of a change, or will be.
func isTold(c api.FeedChange) bool { return slices.ContainsFunc(c.Outcome, tells) }

// tells reports whether a message was sent, or will be.
func tells(o api.Outcome) bool { return o.State == api.OutcomeSent || o.State == api.OutcomeGathered }

// gatherAdded makes one line of the new pages of a host, where its newest one stood, unless there are only a few.
func gatherAdded(list []shownChange) (out []shownChange) {
	hosts := map[string]int{}
	isAdded := func(c shownChange) bool { return c.Kind == api.ChangeNew && c.Host != "" && c.ItemID != "" }
	for _, c := range list {
		if isAdded(c) {
			hosts[c.Host] += c.Pages()
		}
	}
	at := map[string]int{}
	for _, c := range list {
		i, known := at[c.Host]
		switch {
		case !isAdded(c) || hosts[c.Host] <= fewAdded:
			out = append(out, c)
		case known:
			out[i].Also = append(append(out[i].Also, c.FeedChange), c.Also...)
			out[i].Unread = out[i].Unread || c.Unread
		default:
			at[c.Host] = len(out)
			out = append(out, c)
		}
	}
	return out
}

func dayOf(c api.FeedChange, zone *time.Location) time.Time { return midnight(c.At, zone) }

// smallChanges are the small changes of a day, which one line stands for.
type smallChanges struct {
	Count  int
	OrMore bool // some of the day are not counted
	Kinds  []string
	Pages  []smallPage
}

// A smallPage is a page with its small changes of a day.
type smallPage struct {
	api.FeedChange // the newest
	Kinds          []string
	Times          int
}

// Text says what is small: "9 small changes on 6 pages: clocks, numbers".
func (s smallChanges) Text() string {
	text := words.Count(s.Count, "small change")
	if s.OrMore {
		text = "At least " + text
	}
	return text + " on " + words.Count(len(s.Pages), "page") + ": " + strings.Join(s.Kinds, ", ")
}

// add counts a small change.
func (s *smallChanges) add(c api.FeedChange) {
	what := smallText(c)
	s.Count++
	if !slices.Contains(s.Kinds, what) {
		s.Kinds = append(s.Kinds, what)
	}
	i := slices.IndexFunc(s.Pages, func(p smallPage) bool { return p.ItemID == c.ItemID && p.EntryID == c.EntryID })
	if i < 0 {
		i, s.Pages = len(s.Pages), append(s.Pages, smallPage{FeedChange: c})
	}
	p := &s.Pages[i]
	if p.Times++; !slices.Contains(p.Kinds, what) {
		p.Kinds = append(p.Kinds, what)
	}
}

// smallText says in the plural what makes a change small.
func smallText(c api.FeedChange) string {
	switch s := c.Small; {
	case s == nil:
		return "ignored lines"
	case s.Why == "clock":
		return "clocks"
	case s.Why == "order":
		return "order of a list"
	case s.Why == "beside":
		return "text elsewhere on the page"
	case s.Why == "recurs":
		return "text that comes and goes"
	default:
		return cmp.Or(map[string]string{"a clock": "clocks", "a time": "times", "a number": "numbers",
			"a text": "texts that always change", "a counter or a time": "counters and times"}[s.What], s.What,
			"parts that always change")
	}
}

// withSmall adds to the days of a list a line about what is small, where the list has no filter for such changes.
func (v *visit) withSmall(query url.Values, d changesData, zone *time.Location) []changesOfDay {
	for _, name := range []string{"kind", "told", "small", "order", "minShare", "zone"} {
		if query.Get(name) != "" {
			return d.Days
		}
	}
	q := changeQuery(query, zone)
	q.Small, q.Zone, q.Outcome, q.Top = "only", api.ZoneAll, false, smallShown
	if n := len(d.Changes); n > 0 && d.Continuation != "" && q.Order == "" {
		q.Since = iso(d.Changes[n-1].At)
	}
	found := ask(v, api.ListChanges, q)
	for _, c := range found.Changes {
		if c.Small != nil && c.Small.Why == "added" { // Pages lists what somebody has added
			continue
		}
		day := dayOf(c, zone)
		i := slices.IndexFunc(d.Days, func(d changesOfDay) bool { return !d.Day.After(day) })
		if i < 0 {
			i = len(d.Days)
		}
		if i == len(d.Days) || !d.Days[i].Day.Equal(day) {
			d.Days = slices.Insert(d.Days, i, changesOfDay{Day: day, mark: -1})
		}
		d.Days[i].Small.add(c)
	}
	if n := len(found.Changes); n == smallShown && found.Continuation != "" {
		last := dayOf(found.Changes[n-1], zone)
		for i := range d.Days {
			d.Days[i].Small.OrMore = d.Days[i].Day.Equal(last)
		}
	}
	return d.Days
}

// told is how people heard of a change, or why nobody did.
type told struct {
	Icon  string // empty if nobody was told
	Words string
	Fails bool // a message could not be sent

	By     *api.Outcome // the outcome that says most; nil if no rule is for the page
	To     string       // to whom, in words
	At     string       // when, as the reader's clock has it
	Silent bool         // no one was told, and nothing waits
}

// outcomes are the states of outcomes that a line names, the gravest first.
var outcomes = []api.OutcomeState{api.OutcomeFailed, api.OutcomeSent, api.OutcomeGathered, api.OutcomeMuted,
	api.OutcomeCannot, api.OutcomeSilenced, api.OutcomeSmall, api.OutcomeNotMet, api.OutcomeOff}

// toldBy says how people heard of a change that had these outcomes.
func toldBy(all []api.Outcome, channels []api.Channel, zone *time.Location) (t told) {
	if len(all) == 0 {
		return told{Silent: true}
	}
	by := slices.MinFunc(all, func(a, b api.Outcome) int {
		return cmp.Compare(slices.Index(outcomes, a.State), slices.Index(outcomes, b.State))
	})
	t.By = &by
	if !by.At.IsZero() {
		t.At = by.At.In(zone).Format("15:04")
	}
	var ways, to []string
	for _, name := range by.Channels {
		i := slices.IndexFunc(channels, func(c api.Channel) bool { return c.Name == name })
		icon, way := "hook", "by webhook"
		if i >= 0 {
			icon, way = wayTo(channels[i])
			name = cmp.Or(channels[i].Fields["to"], name)
		}
		if t.Icon = cmp.Or(t.Icon, icon); !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
		to = append(to, name)
	}
	t.To = strings.Join(ways, " and ") + " to " + some(to)
	switch by.State {
	case api.OutcomeSent:
		t.Words = "told " + strings.Join(ways, " and ")
	case api.OutcomeFailed:
		t.Icon, t.Words, t.Fails = "warn", "the message could not be sent", true
	case api.OutcomeGathered:
		t.Icon, t.Words = "clock", "to be told"
		if !by.Until.IsZero() {
			t.At = by.Until.In(zone).Format("15:04")
		}
	case api.OutcomeMuted:
		t.Icon, t.Words, t.Silent = "mute", "muted", true
	default:
		t.Icon, t.Silent = "", true
	}
	return t
}

// wayTo returns the icon of a channel, and the words for how it tells people.
func wayTo(c api.Channel) (icon, way string) {
	switch cmp.Or(c.Service, c.Kind) {
	case "smtp":
		return "mail", "by mail"
	case "webhook", "generic":
		return "hook", "by webhook"
	case "ntfy", "gotify", "pushover", "pushbullet", "bark", "join", "ifttt":
		return "phone", "on the phone"
	}
	return "chat", "by chat"
}

// sayTold says of each change when it was, and how people heard of it.
func (v *visit) sayTold(days []changesOfDay, zone *time.Location) {
	isSent := func(o api.Outcome) bool { return len(o.Channels) > 0 && slices.Index(outcomes, o.State) < 3 }
	named := slices.ContainsFunc(days, func(d changesOfDay) bool {
		return slices.ContainsFunc(d.Changes, func(c shownChange) bool { return slices.ContainsFunc(c.Outcome, isSent) })
	})
	var known api.Channels
	if named {
		known = ask(v, api.ListChannels, api.None{})
	}
	for _, d := range days {
		for i := range d.Changes {
			c := &d.Changes[i]
			c.Told, c.Clock = toldBy(c.Outcome, known.Channels, zone), c.At.In(zone).Format("15:04")
		}
	}
}
