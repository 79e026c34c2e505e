package options_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

func level(n int) *int { return &n }

// TestW9Validate checks that options have bounds, and that an error names the field (W9).
func TestW9Validate(t *testing.T) {
	long := strings.Repeat("x", 501)
	for field, o := range map[string]api.Settings{
		"watch.include": {TagSettings: api.TagSettings{Watch: &api.Watch{Include: []string{" "}}}},
		"watch.exclude": {TagSettings: api.TagSettings{Watch: &api.Watch{Exclude: []string{long}}}},
		"watch.ignore": {TagSettings: api.TagSettings{
			Watch: &api.Watch{Ignore: strings.Split(strings.Repeat("x ", 60), " ")}}},
		"watch.trigger": {TagSettings: api.TagSettings{Watch: &api.Watch{Trigger: long}}},
		"watch.index":   {TagSettings: api.TagSettings{Watch: &api.Watch{Index: "all"}}},
		"watch": {TagSettings: api.TagSettings{
			Watch: &api.Watch{Ignore: strings.Fields(strings.Repeat(long[1:]+" ", 17))}}},
		"interval.min": {TagSettings: api.TagSettings{Interval: &api.Interval{Min: "30s"}}},
		"interval.max": {TagSettings: api.TagSettings{Interval: &api.Interval{Min: "2d", Max: "1d"}}},
		"schedule": {TagSettings: api.TagSettings{
			Interval: &api.Interval{Min: "1h"}, Schedule: &api.Schedule{Text: "daily at 9am"}}},
		"schedule.cron": {TagSettings: api.TagSettings{Schedule: &api.Schedule{Cron: "0 25 * * *"}}},
		"schedule.text": {TagSettings: api.TagSettings{Schedule: &api.Schedule{Timezone: "Europe/Paris"}}},
		"schedule.timezone": {TagSettings: api.TagSettings{
			Schedule: &api.Schedule{Text: "hourly", Timezone: "Mars/Base"}}},
		"activeHours.to":   {TagSettings: api.TagSettings{ActiveHours: &api.ActiveHours{From: "08:00"}}},
		"activeHours.from": {TagSettings: api.TagSettings{ActiveHours: &api.ActiveHours{From: "25:00", To: "1pm"}}},
		"activeHours.days": {TagSettings: api.TagSettings{ActiveHours: &api.ActiveHours{Days: []string{"someday"}}}},
		"activeHours.timezone": {TagSettings: api.TagSettings{
			ActiveHours: &api.ActiveHours{Days: []string{"mon"}, Timezone: "Local"}}},
		"priority": {TagSettings: api.TagSettings{Priority: level(10)}},
	} {
		if _, err := options.Validate(o); fault.FieldOf(err) != field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v (%s)", field, err, fault.FieldOf(err))
		}
	}
	empty := api.Settings{TagSettings: api.TagSettings{Watch: &api.Watch{Ignore: []string{}}, Interval: &api.Interval{},
		Schedule: &api.Schedule{}, ActiveHours: &api.ActiveHours{Timezone: "UTC"}}}
	if o, err := options.Validate(empty); err != nil || !reflect.ValueOf(o).IsZero() {
		t.Errorf("nothing is %+v, %v", o, err)
	}
}

// TestW9Merge checks that the item's own setting wins over its tags', and a tag over those that follow by name (W9).
func TestW9Merge(t *testing.T) {
	own := api.Settings{TagSettings: api.TagSettings{Watch: &api.Watch{Ignore: []string{"own"}}, Priority: level(0)}}
	b := options.Tag{Name: "b", Settings: api.Settings{TagSettings: api.TagSettings{
		Watch:    &api.Watch{Ignore: []string{"b"}, Include: []string{"main"}},
		Schedule: &api.Schedule{Text: "hourly"}, Priority: level(9)}}}
	a := options.Tag{Name: "a", Settings: api.Settings{TagSettings: api.TagSettings{Interval: &api.Interval{Max: "2h"},
		ActiveHours: &api.ActiveHours{Days: []string{"mon"}}}}}
	e := options.Merge(own, []options.Tag{b, a})
	want := options.Effective{
		Settings: api.Settings{TagSettings: api.TagSettings{
			Watch:    &api.Watch{Ignore: []string{"own"}, Include: []string{"main"}},
			Interval: &api.Interval{Max: "2h"}, ActiveHours: a.ActiveHours, Priority: level(0)}},
		From: map[string]string{"watch.ignore": "", "watch.include": "b", "interval": "a", "activeHours": "a",
			"priority": ""},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	for field, want := range map[string]string{"interval": "tag a", "watch.ignore": "the item", "schedule": ""} {
		if have := e.By(field); have != want {
			t.Errorf("%s is set by %q, want %q", field, have, want)
		}
	}
	if b.Watch.Ignore[0] != "b" || own.Watch.Include != nil {
		t.Error("what was merged has changed")
	}
	if n := options.Merge(api.Settings{}, nil).Level(); n != options.UsualPriority {
		t.Errorf("the usual priority is %d", n)
	}
}

// TestG1Fields checks that fields have bounds, that a watch may have nothing else, and that each field is a setting
// of its own, of which an item has no more than may be read (G1).
func TestG1Fields(t *testing.T) {
	of := func(path string, names ...string) api.Settings {
		w := api.Watch{Fields: map[string]api.FieldSpec{}}
		for _, name := range names {
			w.Fields[name] = api.FieldSpec{From: "css", Path: path, Type: "text"}
		}
		return api.Settings{TagSettings: api.TagSettings{Watch: &w}}
	}
	letters := strings.Split("abcdefghijklmnopqrstu", "")
	for _, o := range []api.Settings{of("p", letters...), of("p", "a/b"), of("p", ".."), of("p", " a"),
		of("p", "a\x00"), of("p", strings.Repeat("é", 61)), of(strings.Repeat("p", 5000), "a", "b"), of("p", "")} {
		if _, err := options.Validate(o); fault.FieldOf(err) != "watch.fields" {
			t.Errorf("%d fields: %v", len(o.Watch.Fields), err)
		}
	}
	if o, err := options.Validate(of("p", strings.Repeat("é", 60), "sale price")); err != nil || o.Watch == nil {
		t.Errorf("fields alone are %+v, %v", o, err)
	}
	own, tag := of("own", "a", "b"), of("tag", letters[1:]...)
	e := options.Merge(own, []options.Tag{{Name: "t", Settings: tag}})
	if w := e.Watch; len(w.Fields) != 20 || w.Fields["b"].Path != "own" || w.Fields["c"].Path != "tag" ||
		e.From["watch.fields.b"] != "" || e.From["watch.fields.c"] != "t" || !slices.Equal(e.Over, []string{"u"}) {
		t.Errorf("merged: %+v", e)
	}
	if len(own.Watch.Fields) != 2 {
		t.Error("what was merged has changed")
	}
}

// TestW11TagNames checks that a tag has one form of its name (W11).
func TestW11TagNames(t *testing.T) {
	have, err := options.Tags([]string{"Zoo", " news  of\tthe Day", "zoo", "Éa-1"})
	if diff := cmp.Diff([]string{"news of the day", "zoo", "éa-1"}, have); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, bad := range []string{"", "a/b", "a,b", ".", "-x", "a\x00", strings.Repeat("x", 51), "a?b", "a#", `a\b`} {
		if name, err := options.TagName(bad); fault.FieldOf(err) != "tags" {
			t.Errorf("%q is the tag %q, %v", bad, name, err)
		}
	}
	if _, err := options.Tags(strings.Fields("a b c d e f g h i j k l m n o p q r s t u")); err == nil {
		t.Error("21 tags")
	}
}

// TestW12TagsLike checks that names of folders become tags, whatever they contain (W12).
func TestW12TagsLike(t *testing.T) {
	have := options.TagsLike([]string{"C/C++", "  Sea & Land ", "(old)", "…", "", "old", strings.Repeat("é", 60)})
	want := []string{"c c++", "old", "sea & land", strings.Repeat("é", options.MaxTagName)}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func FuzzTagName(f *testing.F) {
	f.Add("News of the Day")
	f.Fuzz(func(t *testing.T, text string) {
		like := options.TagsLike([]string{text})
		if again, err := options.Tags(like); !slices.Equal(again, like) || err != nil {
			t.Errorf("%q becomes %q, which is %q, %v", text, like, again, err)
		}
		name, err := options.TagName(text)
		if err != nil {
			return
		}
		if again, err := options.TagName(name); again != name || err != nil {
			t.Errorf("%q is %q, then %q, %v", text, name, again, err)
		}
	})
}

// TestW10RulesOfAWatchAreCompiled checks that a watch that could not be applied is refused when it is set (W10).
func TestW10RulesOfAWatchAreCompiled(t *testing.T) {
	for field, w := range map[string]api.Watch{
		"watch.include": {Include: []string{"div:contains(p)"}}, "watch.exclude": {Exclude: []string{"a["}},
		"watch.ignore": {Ignore: []string{"("}}, "watch.trigger": {Trigger: ".*"},
	} {
		if _, err := options.Validate(api.Settings{TagSettings: api.TagSettings{Watch: &w}}); fault.FieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
