// Package options defines the options that users set for an item and for its tags: which part of a page is watched,
// how often it is checked and when. It defines their form and bounds. It also decides which setting applies when the
// item and several tags set the same field.
//
// # Which option applies
//
// An item's own setting takes precedence over those of its tags. Among its tags, the first by name that sets the
// field takes precedence. Each setting counts by itself, except that an interval and a schedule count as
// one, because both define when to check. If a field has no setting, the app's default applies. [Effective] records
// the source of each setting, for display.
//
// Their forms, bounds and words are described in package api; here is what several of them must be together, and what
// only a parser can tell.
package options

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// The values of [api.Watch].List.
const (
	ListOnly   = "tell"   // new entries are told
	ListAdd    = "add"    // new entries are told and registered
	ListAddAll = "addAll" // new entries are told, and all are registered, those of the first reading, too
)

// Spec returns the part of a watch that decides what is watched and ignored.
func Spec(w *api.Watch) watch.Spec {
	out := watch.Spec{Include: w.Include, Exclude: w.Exclude, Ignore: w.Ignore, Trigger: w.Trigger}
	if w.List != "" {
		out.List = &watch.List{Links: w.ListLinks}
	}
	return out
}

// The values of [api.Watch].Index: which part of a page is indexed when only a part is watched.
const (
	IndexPage    = "page"
	IndexWatched = "watched"
)

// UsualPriority is the priority of an item for which none is set.
const UsualPriority = 5

// Bounds of the options.
const (
	MaxTags    = 20 // number of tags of an item
	MaxTagName = 50 // number of characters in the name of a tag
	maxBytes   = 8 << 10
)

// Validate returns settings in their stored form, in which an object that sets nothing is nil. Errors: Invalid, with
// the name of the field and what is allowed.
func Validate(s api.Settings) (api.Settings, error) {
	if a := s.ActiveHours; a != nil && a.From == "" && a.To == "" && len(a.Days) == 0 {
		s.ActiveHours = nil // a time zone alone sets nothing
	}
	form.Tidy(&s)
	if errs := form.Check(s); len(errs) > 0 {
		return s, errs[0]
	}
	_, files := SelectionOf(s.Files)
	for _, err := range []error{checkWatch(s.Watch), checkInterval(s.Interval), checkSchedule(s.Schedule),
		checkHours(s.ActiveHours), files, checkRendering(s.Rendering)} {
		if err != nil {
			return s, err
		}
	}
	if s.Interval != nil && s.Schedule != nil {
		return s, fault.Field("schedule", "give interval or schedule, not both: each says when to check")
	}
	return s, nil
}

// instead are pairs of settings of which one removes the other.
var instead = [][2][]string{
	{{"interval"}, {"schedule"}}, {{"schedule"}, {"interval"}},
	{{"schedule", "text"}, {"schedule", "cron"}}, {{"schedule", "cron"}, {"schedule", "text"}},
}

// Patch returns settings after a change, and the paths of those that went because another was set in their place: an
// interval in place of a schedule, and the reverse. Errors: Invalid, as [Validate].
func Patch(s api.Settings, p api.Patch) (out api.Settings, gone []string, err error) {
	if len(p) == 0 {
		return s, nil, nil
	}
	was, by := s, p.Without() // a copy
	for _, pair := range instead {
		if _, both := p.Get(pair[1]...); !both && p.Sets(pair[0]...) {
			by.Set(nil, pair[1]...)
		}
	}
	if err := by.Apply(&s); err != nil {
		return was, nil, fault.New(fault.Invalid, "%w", err) // unreachable: requests are decoded before
	}
	if out, err = Validate(s); err != nil {
		return was, nil, err
	}
	if was.Interval != nil && out.Schedule != nil {
		gone = append(gone, "interval")
	}
	if was.Schedule != nil && out.Interval != nil {
		gone = append(gone, "schedule")
	}
	return out, gone, nil
}

func checkWatch(w *api.Watch) error {
	if w == nil {
		return nil
	}
	size := len(w.Trigger)
	for _, rules := range [][]string{w.Include, w.Exclude, w.Ignore, w.ListLinks} {
		for _, rule := range rules {
			size += len(rule)
		}
	}
	switch {
	case size > maxBytes:
		return fault.Field("watch", "watch has %d bytes of rules; at most %d are allowed", size, maxBytes)
	case w.List == "" && len(w.ListLinks) > 0:
		return fault.Field("watch.list", "watch.list must say what to do with the entries that watch.listLinks finds")
	}
	if err := CheckFields(w.Fields); err != nil {
		return err
	}
	_, err := watch.Compile(Spec(w))
	return err
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

func checkInterval(i *api.Interval) error {
	if i == nil {
		return nil
	}
	least, most, err := bounds(i)
	if err == nil && least > 0 && most > 0 && least > most {
		err = fault.Field("interval.max", "interval.max is %.40q, which is less than interval.min", i.Max)
	}
	return err
}

// bounds returns the shortest and the longest time between checks; zero for a time that is not set.
func bounds(i *api.Interval) (least, most time.Duration, err error) {
	if i.Min != "" {
		if least, err = form.Length("interval.min", i.Min); err != nil {
			return 0, 0, err
		}
	}
	if i.Max != "" {
		most, err = form.Length("interval.max", i.Max)
	}
	return least, most, err
}

// The values of [api.Rendering].Render. By default, a program with a browser reads thin pages in it.
const (
	RenderNever  = "never"
	RenderThin   = "thin" // pages that have little text without their scripts
	RenderAlways = "always"
)

// RenderEvery returns how often a page is rendered whose plain answer stays the same; zero if that is not set.
func RenderEvery(r api.Rendering) time.Duration {
	if r.RenderInterval == "" {
		return 0
	}
	d, _ := form.Length("renderInterval", r.RenderInterval) // validated before it is stored
	return d
}

func checkRendering(r api.Rendering) error {
	if r.WaitFor == "" {
		return nil
	}
	if _, err := cascadia.ParseGroup(r.WaitFor); err != nil {
		return fault.Field("waitFor", "waitFor is not a CSS selector: %w", err)
	}
	return nil
}

// maxFieldName limits the characters in the name of a field.
const maxFieldName = 60

// FieldSetting returns the name of the setting of a field.
func FieldSetting(name string) string { return "watch.fields." + name }

// FieldName reports what is wrong with the name of a field. Names are parts of addresses.
func FieldName(name string) error {
	bad := func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' }
	if n := utf8.RuneCountInString(name); n == 0 || n > maxFieldName || !utf8.ValidString(name) ||
		strings.TrimSpace(name) != name || strings.ContainsFunc(name, bad) || strings.Trim(name, ".") == "" {
		return fault.New(fault.Invalid, "%.80q is not a field name: 1 to %d characters, without / and \\, without blanks "+
			"around them, and not only points", name, maxFieldName)
	}
	return nil
}

// CheckFields reports what is wrong with the names and the size of the fields of a watch. Package field checks the
// rest.
func CheckFields(fields map[string]api.FieldSpec) error {
	size := 0
	for name, f := range fields {
		if err := FieldName(name); err != nil {
			return fault.Field("watch.fields", "watch.fields: %w", err)
		}
		if f.From == "" {
			return fault.Field(FieldSetting(name)+".from", "%s.from must say where the field is: json-ld, microdata, rdfa, "+
				"opengraph, css, jsonpath or declared", FieldSetting(name))
		}
		if strings.ContainsFunc(f.Path, unicode.IsControl) {
			return fault.Field(FieldSetting(name)+".path", "%s.path has a line break or another control character: write it on "+
				"one line", FieldSetting(name))
		}
		size += len(name) + len(f.From) + len(f.Path) + len(f.Type) + len(f.Locale)
	}
	if size > maxBytes {
		return fault.Field("watch.fields", "watch.fields has %d bytes; at most %d are allowed", size, maxBytes)
	}
	return nil
}

// The reasons for which a file or folder is not selected.
var (
	ErrHidden  = errors.New("hidden files and folders")
	ErrLeftOut = errors.New("files and folders that include or exclude leaves out")
)

// maxGlob is the length of a glob, in bytes.
const maxGlob = 400

// Selection is compiled [api.Files]. It is safe for concurrent use.
type Selection struct {
	include, exclude []*regexp.Regexp
	hidden           bool
}

// SelectionOf compiles a selection; nil selects what is not hidden. Errors: Invalid, with the name of the field.
func SelectionOf(f *api.Files) (s Selection, err error) {
	if f == nil {
		return s, nil
	}
	s.hidden = f.Hidden
	if s.include, err = globs("files.include", f.Include); err == nil {
		s.exclude, err = globs("files.exclude", f.Exclude)
	}
	return s, err
}

// LeavesOut returns why a file or folder is not selected; nil if it is. What it says of a folder holds for all that is
// in it.
func (s Selection) LeavesOut(at string, isFolder bool) error {
	name := path.Base(at)
	switch {
	case !s.hidden && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$")):
		return ErrHidden
	case matchesAny(s.exclude, at), isFolder && matchesAny(s.exclude, at+"/"):
		return ErrLeftOut
	case !isFolder && len(s.include) > 0 && !matchesAny(s.include, at):
		return ErrLeftOut
	}
	return nil
}

func matchesAny(globs []*regexp.Regexp, at string) bool {
	return slices.ContainsFunc(globs, func(g *regexp.Regexp) bool { return g.MatchString(at) })
}

// globs compiles globs.
func globs(field string, texts []string) (out []*regexp.Regexp, err error) {
	for _, text := range texts {
		switch {
		case strings.Trim(text, "/ ") == "" || len(text) > maxGlob:
			return nil, fault.Field(field, "%s: a glob has 1 to %d bytes, and not only slashes: %.60q", field, maxGlob, text)
		case strings.ContainsFunc(text, unicode.IsControl):
			return nil, fault.Field(field, "%s: a glob has no control characters: %.60q", field, text)
		case strings.ContainsAny(text, "[]{}"):
			return nil, fault.Field(field, "%s: a glob has *, ** and ?, but no [ ] { }: %.60q", field, text)
		}
		re, err := regexp.Compile(expression(strings.TrimSpace(text)))
		if err != nil {
			return nil, fault.Field(field, "%s: %.60q: %w", field, text, err) // unreachable: everything is quoted
		}
		out = append(out, re)
	}
	return out, nil
}

var wildcards = []pattern.Wildcard{{Text: "**/", Expression: "(?:.*/)?"}, {Text: "**", Expression: ".*"},
	{Text: "*", Expression: "[^/]*"}, {Text: "?", Expression: "[^/]"}}

// expression returns the regular expression of a glob.
func expression(glob string) string {
	whole := strings.TrimSuffix(glob, "/")
	begin := "^(?s:"
	if !strings.Contains(whole, "/") {
		begin += "(?:.*/)?" // a name at any depth
	}
	whole = strings.TrimPrefix(whole, "/")
	end := "(?:/.*)?"
	if strings.HasSuffix(glob, "/") {
		end = "/.*"
	}
	return begin + pattern.Wildcards(whole, wildcards...) + end + ")$"
}
