package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// form is what a form of settings shows: what is set or was typed, what is wrong with it, and what holds instead where
// nothing is set.
type form struct {
	url.Values
	Problem *api.Problem
	Holds   map[string]fact // by field
}

// field is one of a form.
type field struct {
	Name, Label, Hint, Value, Wrong string
	Holds                           fact
}

// Field is a field with its label and a hint. Its name is that of the API; what is wrong with the group that it begins
// is wrong with it.
func (f form) Field(name, label, hint string, group ...string) field {
	out := field{Name: name, Label: label, Hint: hint, Value: f.Get(name),
		Wrong: said(f.Problem, append(group, name)...), Holds: f.Holds[name]}
	for _, g := range group {
		if h, ok := f.Holds[g]; ok {
			out.Holds = h
		}
	}
	return out
}

// Has reports whether a field has a value.
func (f form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// Days are those of active hours.
func (form) Days() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// Priorities are those that there are.
func (form) Priorities() []choice {
	out := []choice{{"", "not set"}}
	for i := range 10 {
		n := strconv.Itoa(i)
		out = append(out, choice{n, n + map[int]string{0: " (lowest)", 5: " (default)", 9: " (highest)"}[i]})
	}
	return out
}

// Indexes are what of a page can be indexed.
func (form) Indexes() []choice {
	return []choice{{"", "not set"}, {"page", "the whole page"}, {"watched", "only the watched part"}}
}

// settingsOf reads a form.
func settingsOf(f url.Values) (s api.TagSettings, err error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	s.Interval = &api.Interval{Min: text("interval.min"), Max: text("interval.max")}
	s.Schedule = &api.Schedule{Text: text("schedule.text"), Cron: text("schedule.cron"),
		Timezone: text("schedule.timezone")}
	s.ActiveHours = &api.ActiveHours{From: text("activeHours.from"), To: text("activeHours.to"),
		Days: f["activeHours.days"], Timezone: text("activeHours.timezone")}
	s.Watch = &api.Watch{Include: linesOf(f.Get("watch.include")), Exclude: linesOf(f.Get("watch.exclude")),
		Ignore: linesOf(f.Get("watch.ignore")), Trigger: text("watch.trigger"), Index: text("watch.index")}
	if p := text("priority"); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil {
			return s, badRequest("the priority must be a number")
		}
		s.Priority = &n
	}
	return s, nil
}

// linesOf are the lines of a field that say something.
func linesOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// valuesOf are settings as a form has them.
func valuesOf(s api.TagSettings) url.Values {
	f := url.Values{}
	if i := s.Interval; i != nil {
		f.Set("interval.min", i.Min)
		f.Set("interval.max", i.Max)
	}
	if c := s.Schedule; c != nil {
		f.Set("schedule.text", c.Text)
		f.Set("schedule.cron", c.Cron)
		f.Set("schedule.timezone", c.Timezone)
	}
	if a := s.ActiveHours; a != nil {
		f.Set("activeHours.from", a.From)
		f.Set("activeHours.to", a.To)
		f["activeHours.days"] = a.Days
		f.Set("activeHours.timezone", a.Timezone)
	}
	if w := s.Watch; w != nil {
		f.Set("watch.include", strings.Join(w.Include, "\n"))
		f.Set("watch.exclude", strings.Join(w.Exclude, "\n"))
		f.Set("watch.ignore", strings.Join(w.Ignore, "\n"))
		f.Set("watch.trigger", w.Trigger)
		f.Set("watch.index", w.Index)
	}
	if s.Priority != nil {
		f.Set("priority", strconv.Itoa(*s.Priority))
	}
	return f
}

// fact is a setting in words.
type fact struct {
	Field, Name, Value string
	Tag                string // that set it
	Own                bool   // the item has set it itself
}

// facts says settings in words; from is as in [api.Effective], or nil.
func facts(s api.TagSettings, from map[string]string) (out []fact) {
	add := func(field, name, value string) {
		if value != "" {
			tag, _ := strings.CutPrefix(from[field], "tag ")
			f := fact{Field: field, Name: name, Value: value, Own: from[field] == "item"}
			if tag != from[field] {
				f.Tag = tag
			}
			out = append(out, f)
		}
	}
	if i := s.Interval; i != nil {
		add("interval", "Check interval", cmp.Or(i.Min, "default")+" to "+cmp.Or(i.Max, "default"))
	}
	if c := s.Schedule; c != nil {
		add("schedule", "Schedule", cmp.Or(c.Text, c.Cron)+", "+cmp.Or(c.Timezone, "UTC"))
	}
	if a := s.ActiveHours; a != nil {
		add("activeHours", "Active hours", hoursText(*a))
	}
	if s.Priority != nil {
		add("priority", "Priority", strconv.Itoa(*s.Priority))
	}
	if w := s.Watch; w != nil {
		add("watch.include", "Watched parts", strings.Join(w.Include, ", "))
		add("watch.exclude", "Excluded parts", strings.Join(w.Exclude, ", "))
		add("watch.ignore", "Ignored lines", strings.Join(w.Ignore, ", "))
		add("watch.trigger", "Trigger", w.Trigger)
		add("watch.index", "Indexed", map[string]string{"page": "the whole page", "watched": "the watched part"}[w.Index])
	}
	return out
}

func hoursText(a api.ActiveHours) string {
	var said []string
	if a.From != "" {
		said = append(said, a.From+" to "+a.To)
	}
	if len(a.Days) > 0 {
		said = append(said, strings.Join(a.Days, " "))
	}
	return strings.Join(append(said, cmp.Or(a.Timezone, "UTC")), ", ")
}

// effectiveFacts says what holds for an item.
func effectiveFacts(e *api.Effective) []fact {
	if e == nil {
		return nil
	}
	return facts(e.TagSettings, e.From)
}

type settingsData struct {
	api.ItemDetail
	Form form
}

// settings is the form of what is set for an item.
func settings(o Options, r *http.Request) (page, error) { return settingsPage(o, r, nil, nil) }

func settingsPage(o Options, r *http.Request, typed url.Values, problem *api.Problem) (page, error) {
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	p := page{name: "settings", title: "Settings of " + titleOf(it.Item)}
	d := settingsData{it, form{Values: typed, Problem: problem, Holds: map[string]fact{}}}
	if problem != nil {
		p.status = problem.Status
	} else {
		d.Form.Values = valuesOf(api.TagSettings{Watch: it.Watch, Interval: it.Interval, Schedule: it.Schedule,
			ActiveHours: it.ActiveHours, Priority: it.Priority})
		d.Form.Set("tags", strings.Join(it.Tags, ", "))
		if it.Paused {
			d.Form.Set("paused", "true")
		}
	}
	for _, f := range effectiveFacts(it.Effective) {
		d.Form.Holds[f.Field] = f
	}
	p.data = d
	return p, nil
}

// saveSettings changes what is set for an item, all of it: what the form leaves empty is set no longer.
func saveSettings(o Options, r *http.Request) (page, error) {
	f := r.PostForm
	s, err := settingsOf(f)
	if err != nil {
		return page{}, err
	}
	paused := f.Get("paused") != ""
	q := api.ItemPatch{ID: r.PathValue("id"), ItemSettings: api.ItemSettings{Watch: s.Watch, Interval: s.Interval,
		Schedule: s.Schedule, ActiveHours: s.ActiveHours, Priority: s.Priority, Paused: &paused}}
	for tag := range strings.SplitSeq(f.Get("tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			q.Tags = append(q.Tags, tag)
		}
	}
	if len(q.Tags) == 0 {
		q.Null = append(q.Null, "tags")
	}
	if q.Priority == nil {
		q.Null = append(q.Null, "priority")
	}
	_, err = api.PatchItem.Call(r.Context(), o.Client, q)
	if problem := refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		return settingsPage(o, r, f, problem)
	}
	return page{to: "/items/" + url.PathEscape(q.ID) + "?done=settings"}, err
}
