package items

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
)

// form is the form of the settings of an item or a tag.
type form struct {
	frame.Form
	Tries bool            // what is watched can be tried
	Trial *api.WatchTrial // what the typed watch finds; nil before it is tried
}

// Days returns the days to which active hours can be limited.
func (form) Days() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// Priorities returns the choices for the priority.
func (form) Priorities() []show.Choice {
	out := show.Choices("", "not set")
	for i := range 10 {
		n := strconv.Itoa(i)
		out = append(out, show.Choices(n, n+map[int]string{0: " (lowest)", 5: " (default)", 9: " (highest)"}[i])...)
	}
	return out
}

// Indexes returns the choices for the part of a page that is indexed.
func (form) Indexes() []show.Choice {
	return show.Choices("", "not set", "page", "the whole page", "watched", "only the watched part")
}

// settingsOf reads the settings from the form.
func settingsOf(f url.Values) (s api.TagSettings, err error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	s.Interval = &api.Interval{Min: text("interval.min"), Max: text("interval.max")}
	if every := shortSpan(text("every")); every != "" {
		s.Interval = &api.Interval{Min: every, Max: every}
	}
	s.Schedule = &api.Schedule{Text: text("schedule.text"), Cron: text("schedule.cron"),
		Timezone: text("schedule.timezone")}
	s.ActiveHours = &api.ActiveHours{From: text("activeHours.from"), To: text("activeHours.to"),
		Days: f["activeHours.days"], Timezone: text("activeHours.timezone")}
	s.Watch = &api.Watch{Include: frame.Lines(f.Get("watch.include")), Exclude: frame.Lines(f.Get("watch.exclude")),
		Ignore: frame.Lines(f.Get("watch.ignore")), Trigger: text("watch.trigger"), Index: text("watch.index"),
		List: text("watch.list"), ListLinks: frame.Lines(f.Get("watch.listLinks"))}
	if s.Watch.Fields, err = api.ParseFieldLines(frame.Lines(f.Get("watch.fields"))); err != nil {
		return s, &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: err.Error(),
			Errors: []api.FieldError{{Field: "watch.fields", Message: err.Error()}}}
	}
	s.Rendering = renderingOf(f)
	if p := text("priority"); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil {
			return s, frame.BadRequest("the priority must be a number")
		}
		s.Priority = &n
	}
	return s, nil
}

// units are the words for units of time, and what the API has for them.
var units = map[string]string{"minute": "m", "minutes": "m", "min": "m", "hour": "h", "hours": "h", "day": "d",
	"days": "d", "week": "w", "weeks": "w"}

// shortSpan returns a span of time as the API has it, such as 15m for "every 15 minutes" and 1d for "day". It returns
// any other text as it is: the API says what is wrong with it.
func shortSpan(text string) string {
	words := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "every "))
	if len(words) == 1 && units[words[0]] != "" {
		words = append([]string{"1"}, words...)
	}
	if len(words) == 2 && units[words[1]] != "" {
		return words[0] + units[words[1]]
	}
	return text
}

// valuesOf returns settings as values of the form's fields.
func valuesOf(s api.TagSettings) url.Values {
	f := url.Values{}
	if i := s.Interval; i != nil && i.Min == i.Max {
		f.Set("every", i.Min)
	} else if i != nil {
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
		f.Set("watch.list", w.List)
		f.Set("watch.listLinks", strings.Join(w.ListLinks, "\n"))
		f.Set("watch.fields", strings.Join(api.FieldLines(w.Fields), "\n"))
	}
	setRendering(f, s.Rendering)
	if s.Priority != nil {
		f.Set("priority", strconv.Itoa(*s.Priority))
	}
	return f
}

// setFiles sets the fields of the form to the selection of a folder's files.
func setFiles(f url.Values, files *api.Files) {
	if files == nil {
		return
	}
	f.Set("files.include", strings.Join(files.Include, "\n"))
	f.Set("files.exclude", strings.Join(files.Exclude, "\n"))
	f.Set("files.hidden", strconv.FormatBool(files.Hidden))
}

// Lists are the choices for a page that lists others.
func (form) Lists() []show.Choice {
	return show.Choices("", "This page is no list", "tell", "List: "+listWords["tell"],
		"add", "List: "+listWords["add"], "addAll", "List: "+listWords["addAll"])
}
