// Package options defines the options that users set for an item and for its tags: which part of a page is watched,
// how often it is checked and when. It defines their form and bounds. It also decides which setting applies when the
// item and several tags set the same field.
//
// # Which option applies
//
// An item's own setting takes precedence over those of its tags. Among its tags, the first by name that sets the
// field takes precedence. Each of [Fields] is a separate setting, except that an interval and a schedule count as
// one, because both define when to check. If a field has no setting, the app's default applies. [Effective] records
// the source of each setting, for display.
//
// Options are plain values. Encoded as JSON, they have the form of the HTTP API.
package options

import (
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Options are the settings of an item or a tag. The zero value sets nothing.
type Options struct {
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"`
	Schedule    *Schedule    `json:"schedule,omitempty"`
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"` // 0 to 9; if nil, [UsualPriority] applies
	Files       *Files       `json:"files,omitempty"`    // which files of a folder are items
	Rendering
}

// Watch defines which part of a page is watched.
type Watch struct {
	Include []string `json:"include,omitempty"` // what is watched, see [watch.Spec]; if empty, the whole page
	Exclude []string `json:"exclude,omitempty"` // what to leave out
	Ignore  []string `json:"ignore,omitempty"`  // regular expressions; a line that matches one of them is ignored
	Trigger string   `json:"trigger,omitempty"` // a regular expression that the text of a change must match
	Index   string   `json:"index,omitempty"`   // what is indexed: IndexPage, the default, or IndexWatched
	// List states that the page is a list, of which new entries are told: ListOnly, ListAdd or ListAddAll.
	List      string   `json:"list,omitempty"`
	ListLinks []string `json:"listLinks,omitempty"` // the links of the entries, see [watch.List]
	// Fields are values that are read of the page, by name.
	Fields map[string]api.FieldSpec `json:"fields,omitempty"`
}

// The values of [Watch].List.
const (
	ListOnly   = "tell"   // new entries are told
	ListAdd    = "add"    // new entries are told and registered
	ListAddAll = "addAll" // new entries are told, and all are registered, those of the first reading, too
)

// Spec returns the part of a watch that decides what is watched and ignored.
func (w *Watch) Spec() watch.Spec {
	out := watch.Spec{Include: w.Include, Exclude: w.Exclude, Ignore: w.Ignore, Trigger: w.Trigger}
	if w.List != "" {
		out.List = &watch.List{Links: w.ListLinks}
	}
	return out
}

// The values of [Watch].Index: which part of a page is indexed when only a part is watched.
const (
	IndexPage    = "page"
	IndexWatched = "watched"
)

// Interval bounds the time between checks. Either bound may be missing.
type Interval struct {
	Min string `json:"min,omitempty"` // time until the next check after a change, such as 1h
	Max string `json:"max,omitempty"` // longest time between checks while nothing changes, such as 7d
}

// Schedule defines when checks are due, either by a cron expression of five fields or in plain words.
type Schedule struct {
	Cron     string `json:"cron,omitempty"`
	Text     string `json:"text,omitempty"`
	Timezone string `json:"timezone,omitempty"` // IANA name; UTC when empty
}

// ActiveHours are the hours in which scheduled checks of a page may run.
type ActiveHours struct {
	From     string   `json:"from,omitempty"` // such as 08:00
	To       string   `json:"to,omitempty"`   // such as 18:00; if it is before From, it is on the next day
	Days     []string `json:"days,omitempty"` // mon to sun; every day when empty
	Timezone string   `json:"timezone,omitempty"`
}

// UsualPriority is the priority of an item for which none is set.
const UsualPriority = 5

// Bounds of the options.
const (
	MaxTags     = 20  // number of tags of an item
	MaxTagName  = 50  // number of characters in the name of a tag
	maxPriority = 9   //
	maxRules    = 50  // number of rules in one list of a watch
	maxRule     = 500 // number of characters in a rule
	maxBytes    = 8 << 10
	// leastInterval and longestInterval bound the intervals that users may set. They do not limit the load on a host,
	// which has limits of its own.
	leastInterval   = time.Minute
	longestInterval = 3650 * 24 * time.Hour
)

// Zero reports whether nothing is set.
func (o Options) Zero() bool { return reflect.ValueOf(o).IsZero() }

// Validate returns options in their stored form, in which a field that sets nothing is nil. Errors: Invalid, with the
// name of the field and what is allowed.
func (o Options) Validate() (Options, error) {
	o = o.tidy()
	for _, check := range []func() error{o.Watch.validate, o.Interval.validate, o.Schedule.validate,
		o.ActiveHours.validate, o.Files.validate, o.Rendering.validate} {
		if err := check(); err != nil {
			return o, err
		}
	}
	if p := o.Priority; p != nil && (*p < 0 || *p > maxPriority) {
		return o, fault.Field("priority", "priority is %d; allowed are 0, the last, to %d, the first", *p, maxPriority)
	}
	if o.Interval != nil && o.Schedule != nil {
		return o, fault.Field("schedule", "give interval or schedule, not both: each says when to check")
	}
	return o, nil
}

// tidy removes fields that set nothing.
func (o Options) tidy() Options {
	if w := o.Watch; w != nil && len(w.Include)+len(w.Exclude)+len(w.Ignore) == 0 && w.Trigger == "" && w.Index == "" &&
		w.List == "" && len(w.ListLinks)+len(w.Fields) == 0 {
		o.Watch = nil
	}
	if i := o.Interval; i != nil && *i == (Interval{}) {
		o.Interval = nil
	}
	if s := o.Schedule; s != nil && s.Cron == "" && s.Text == "" && s.Timezone == "" {
		o.Schedule = nil
	}
	if a := o.ActiveHours; a != nil && a.From == "" && a.To == "" && len(a.Days) == 0 {
		o.ActiveHours = nil
	}
	if f := o.Files; f != nil && len(f.Include)+len(f.Exclude) == 0 && !f.Hidden {
		o.Files = nil
	}
	return o
}

func (w *Watch) validate() error {
	if w == nil {
		return nil
	}
	size := len(w.Trigger)
	for _, list := range []struct {
		field string
		rules []string
	}{{"watch.include", w.Include}, {"watch.exclude", w.Exclude}, {"watch.ignore", w.Ignore},
		{"watch.listLinks", w.ListLinks}} {
		if len(list.rules) > maxRules {
			return fault.Field(list.field, "%s has %d rules; at most %d are allowed", list.field, len(list.rules), maxRules)
		}
		for _, rule := range list.rules {
			if err := checkRule(list.field, rule); err != nil {
				return err
			}
			size += len(rule)
		}
	}
	if size > maxBytes {
		return fault.Field("watch", "watch has %d bytes of rules; at most %d are allowed", size, maxBytes)
	}
	if w.Trigger != "" {
		if err := checkRule("watch.trigger", w.Trigger); err != nil {
			return err
		}
	}
	if !slices.Contains([]string{"", IndexPage, IndexWatched}, w.Index) {
		return fault.Field("watch.index", "watch.index must be %s or %s, not %.40q", IndexPage, IndexWatched, w.Index)
	}
	switch {
	case !slices.Contains([]string{"", ListOnly, ListAdd, ListAddAll}, w.List):
		return fault.Field("watch.list", "watch.list must be %s, %s or %s, not %.40q", ListOnly, ListAdd, ListAddAll, w.List)
	case w.List == "" && len(w.ListLinks) > 0:
		return fault.Field("watch.list", "watch.list must say what to do with the entries that watch.listLinks finds")
	}
	if err := w.CheckFields(); err != nil {
		return err
	}
	_, err := watch.Compile(w.Spec())
	return err
}

func checkRule(field, rule string) error {
	switch n := len([]rune(rule)); {
	case strings.TrimSpace(rule) == "":
		return fault.Field(field, "%s has an empty rule: leave it out", field)
	case n > maxRule:
		return fault.Field(field, "%s has a rule of %d characters; at most %d are allowed", field, n, maxRule)
	}
	return nil
}

// Tags returns the names of tags in their stored form, sorted and without duplicates.
func Tags(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		name, err := TagName(name)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > MaxTags {
		return nil, fault.Field("tags", "an item has at most %d tags, not %d", MaxTags, len(out))
	}
	return out, nil
}

// TagName returns the normalized name of a tag: lower case, with single spaces. Errors: Invalid for a bad name.
func TagName(text string) (string, error) {
	name := strings.ToLower(strings.Join(strings.Fields(text), " "))
	runes := []rune(name)
	bad := slices.ContainsFunc(runes, func(r rune) bool { return !inTag(r) })
	if bad || len(runes) == 0 || len(runes) > MaxTagName || !beginsTag(runes[0]) {
		return "", fault.Field("tags", "%.80q is not a tag name: 1 to %d letters, digits, spaces and . _ - + & @ :, "+
			"beginning with a letter or a digit", text, MaxTagName)
	}
	return name, nil
}

func inTag(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M) || strings.ContainsRune(" ._-+&@:", r)
}

func beginsTag(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }

// TagsLike makes tags from names that have another purpose, such as folders. It replaces each character that is not
// allowed in a tag by a space, and drops names that are then empty. It returns up to [MaxTags] tags, in order.
func TagsLike(names []string) (out []string) {
	for _, name := range names {
		name = strings.Map(func(r rune) rune {
			if !inTag(r) {
				return ' '
			}
			return r
		}, name)
		name = strings.TrimLeftFunc(name, func(r rune) bool { return !beginsTag(r) })
		runes := []rune(strings.Join(strings.Fields(name), " "))
		if name, err := TagName(string(runes[:min(len(runes), MaxTagName)])); err == nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), MaxTags)]
}
