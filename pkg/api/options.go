package api

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What people can set is described where it is declared, by the tags of the fields. Package form reads them:
//
//	label:"…"      what people call it
//	flag:"… …"     its flag on the command line, if that is not its name, and what the flag takes; "-" for none
//	choices:"…"    the values it may have, each with its words behind = if they differ: page=the whole page|watched=…
//	format:"…"     the form of a text, or of each text of a list
//	most:"…"       how many entries a list or a map may have
//	unit:"whole"   a setting that is merged as a whole: the first of item and tags that has it
//
// Bounds and defaults of numbers are in min, max and default. The comment is the help text; where the words of a text
// begin with the value's format, so does the error.

// Watch says which parts of a page are watched, and which differences in them count as changes.
type Watch struct {
	// CSS selectors of the watched parts, or JSONPaths for JSON; the whole page if empty
	Include []string `json:"include,omitempty" label:"Only these parts" flag:"include SELECTOR" format:"rule" most:"50"`
	// CSS selectors of parts to leave out, or JSONPaths for JSON
	Exclude []string `json:"exclude,omitempty" label:"Except these parts" flag:"exclude SELECTOR" format:"rule" most:"50"`
	// regular expressions (RE2) of lines to ignore
	Ignore []string `json:"ignore,omitempty" label:"Ignored lines" flag:"ignore EXPRESSION" format:"rule" most:"50"`
	// a regular expression (RE2) that the watched text must match for a change to count
	Trigger string `json:"trigger,omitempty" label:"Only if the text matches" flag:"trigger EXPRESSION" format:"rule"`
	// what searches find of the page; the whole page by default
	Index string `json:"index,omitempty" label:"Indexed" choices:"page=the whole page|watched=only the watched part"`
	// for a page that lists others, such as minutes, releases or jobs: what is done with its entries
	List string `json:"list,omitempty" label:"List" choices:"tell=new entries are told|add=new entries are told and added|addAll=new entries are told, all are added"`
	// CSS selectors of the links of a list's entries, or JSONPaths for JSON; the links of the content if empty
	ListLinks []string `json:"listLinks,omitempty" label:"Links of its entries" flag:"list-links SELECTOR" format:"rule" most:"50"`
	// values to read from the page, by name; their changes are told: price, which the page declares, or
	// price:money=css:.price
	Fields map[string]FieldSpec `json:"fields,omitempty" label:"Values of the page" flag:"field VALUE" most:"20"`
}

// FieldSpec says where a page has the value of a field, and of which type it is.
type FieldSpec struct {
	// From is json-ld, microdata, rdfa, opengraph, css or jsonpath; or declared, for a field that pages declare (price,
	// salePrice, availability, currency, variants, published, modified, author or version).
	From   string `json:"from"`
	Path   string `json:"path,omitempty"`   // the place in the source; for declared, the declared field, by default the one of this name
	Type   string `json:"type,omitempty"`   // text, number, money, date or availability; left out for declared
	Locale string `json:"locale,omitempty"` // how the page writes numbers, such as de-CH; by default, as its language does
}

// Interval bounds the time between two checks, such as 15m, 1h30m, 7d or 2w. Either bound may be left out.
type Interval struct {
	// the time until the next check after a change
	Min string `json:"min,omitempty" label:"Minimum interval" flag:"-" format:"length"`
	// the longest time between checks, reached step by step while nothing changes
	Max string `json:"max,omitempty" label:"Maximum interval" flag:"-" format:"length"`
}

// Schedule says when checks are due, as a cron expression or as text. Each item is checked up to a quarter of an hour
// later. That delay is fixed for an item but differs between items, so that they do not all start at once.
type Schedule struct {
	// minute, hour, day, month and weekday: 0 9 * * 1-5
	Cron string `json:"cron,omitempty" label:"Cron expression" flag:"-"`
	// daily at 9am; every 2 hours; mondays and thursdays at 08:30; weekdays at 9am and 5pm; monthly on the 1st at
	// noon
	Text string `json:"text,omitempty" label:"Schedule" flag:"-"`
	// an IANA name such as Europe/Paris; default UTC
	Timezone string `json:"timezone,omitempty" label:"Time zone of the schedule" flag:"timezone ZONE" format:"zone"`
}

// ActiveHours are the hours in which items are checked automatically. Checks that fall due outside of them wait.
type ActiveHours struct {
	From string `json:"from,omitempty" label:"From" flag:"-"` // such as 08:00
	To   string `json:"to,omitempty" label:"To" flag:"-"`     // such as 18:00; a time before From is on the next day
	// only on these days; every day by default
	Days []string `json:"days,omitempty" label:"Days" flag:"days mon,tue" choices:"mon|tue|wed|thu|fri|sat|sun" format:"weekday" most:"31"`
	// an IANA name such as Europe/Paris; default UTC
	Timezone string `json:"timezone,omitempty" label:"Time zone of the hours" flag:"timezone ZONE" format:"zone"`
}

// Files says which files of a folder are items. The globs are paths below the folder: * stands for anything but a
// slash, ** for anything, and ? for one character. A glob without a slash is one name, at any depth. A glob that
// matches a folder matches all that is in it. Upper and lower case differ.
type Files struct {
	// if there are any, only files that match one are items, such as *.md or manuals/**
	Include []string `json:"include,omitempty" label:"Only files like these" flag:"include GLOB" most:"50"`
	// files that match one are left out, such as drafts/ or *.tmp
	Exclude []string `json:"exclude,omitempty" label:"No files like these" flag:"exclude GLOB" most:"50"`
	// also files and folders whose names begin with a dot or with ~$
	Hidden bool `json:"hidden,omitempty" label:"Hidden files, too"`
}

// Rendering says whether pages are read in a browser, with their scripts, and how the browser shows them.
type Rendering struct {
	// when it is read in a browser, where there is one; thin by default
	Render string `json:"render,omitempty" label:"Read in a browser" choices:"never|thin=if it has little text without its scripts|always=at each check"`
	// how often a page is rendered while its own HTML stays the same; found out by itself if empty
	RenderInterval string `json:"renderInterval,omitempty" label:"Rendered every" flag:"render-interval 6h" format:"length"`
	// a CSS selector, such as #prices, that must match before the page is read
	WaitFor string `json:"waitFor,omitempty" label:"Waits for" flag:"wait-for SELECTOR" format:"rule"`
	// width and height of the browser's window in pixels; default 1280x1024
	Viewport string `json:"viewport,omitempty" label:"Window" flag:"viewport 1280x1024" format:"size"`
	// languages that the browser asks for, such as de or de-DE,de; default en
	AcceptLanguage string `json:"acceptLanguage,omitempty" label:"Language asked for" flag:"accept-language de-DE,de" format:"languages"`
	// colours that the browser asks for; light by default
	ColorScheme string `json:"colorScheme,omitempty" label:"Colours" choices:"light|dark"`
	// hosts besides its own site to which the page may send a POST, such as api.example.org
	PostHosts []string `json:"postHosts,omitempty" label:"May send a POST to" flag:"post-host HOST" format:"host" most:"10"`
}

// TagSettings are the settings that a tag can have.
type TagSettings struct {
	Watch *Watch `json:"watch,omitempty"`
	// bounds of the time between checks; setting them removes the schedule
	Interval *Interval `json:"interval,omitempty" label:"Checked" flag:"every 1h..7d" unit:"whole"`
	// when it is checked, such as daily at 9am or mondays at 08:30, or a cron expression; setting it removes the interval
	Schedule *Schedule `json:"schedule,omitempty" label:"Schedule" flag:"schedule TEXT" unit:"whole"`
	// the hours of the day in which it is checked; checks that are due outside of them wait
	ActiveHours *ActiveHours `json:"activeHours,omitempty" label:"Active hours" flag:"hours 08:00-18:00" unit:"whole"`
	// from 0 (last) to 9 (first)
	Priority *int `json:"priority,omitempty" label:"Priority" max:"9" default:"5"`
	Rendering
}

// Settings are the settings that an item can have of its own, and that are merged with those of its tags.
type Settings struct {
	TagSettings
	Files *Files `json:"files,omitempty" unit:"whole"` // for a folder
}

// ItemSettings are the settings of an item, as requests change them (JSON Merge Patch, RFC 7396): an object changes the
// settings that it names, a list replaces the whole list, and null removes a setting; the settings of the item's tags
// or of the app then apply. What is left out stays.
type ItemSettings struct {
	// all tags of the item
	Tags []string `json:"tags,omitempty" label:"Tags" flag:"tag TAG,TAG" most:"20"`
	Settings
	// checked only on request
	Paused *bool `json:"paused,omitempty" label:"Paused" flag:"-"`
}

// ItemPatch changes the settings of an item.
type ItemPatch struct {
	ID string `json:"-" path:"id"` // The item.
	ItemSettings
	Patching
}

// Effective are the settings in force for an item, or for an item that only has one tag.
type Effective struct {
	TagSettings
	// From says where each setting comes from: item, default, or tag followed by the tag's name. The settings are
	// watch.include, watch.exclude, watch.ignore, watch.trigger, watch.index, watch.fields. followed by the name of a
	// field, interval, schedule, activeHours, priority, and those of a browser. If a field is not read because the item
	// has 20 others, that is said here. A setting that is not listed is not set. By default, render is thin where there
	// is a browser, and never elsewhere.
	From map[string]string `json:"from"`
}

// Tag has the settings that a tag gives to its items. An item's own settings take precedence over those of its tags.
// If several tags have the same setting, the tag whose name sorts first is used.
type Tag struct {
	Name string `json:"name" label:"Tag"`
	TagSettings
	ChangedAt time.Time `json:"changedAt,omitzero" label:"Last changed"`
	// Run is the bulk run that reschedules the next checks of the tag's items; see POST items/bulk.
	Run string `json:"run,omitempty" label:"Rescheduled by the run"`
	// Effective has these settings with the defaults of the app. Lists leave it out.
	Effective *Effective `json:"effective,omitempty" label:"-"`
	// Replaced are settings that this change has removed, because another one was set in their place: schedule or
	// interval.
	Replaced []string `json:"replaced,omitempty" label:"Replaced"`
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty" label:"-"`
}

// Tags lists the tags that have settings, by name.
type Tags struct {
	Tags []Tag `json:"tags"`
}

// TagRequest creates or replaces a tag.
type TagRequest struct {
	Name string `json:"name"` // 1 to 50 letters, digits, spaces and . _ - + & @ :
	TagSettings
}

// TagPatch changes the settings of a tag (JSON Merge Patch, RFC 7396): what is left out stays, null removes a setting.
type TagPatch struct {
	Name string `json:"-" path:"name"` // The tag.
	TagSettings
	Patching
}

// TagName identifies a tag by its name.
type TagName struct {
	Name string `json:"-" path:"name"` // The tag.
}

// FieldLine writes a field of a page on one line, as forms and the command line have it: price:money=css:.price, with
// a locale behind the type: price:money:de-CH=css:.price. A name that has : or = in it is quoted, as in Go.
func FieldLine(name string, f FieldSpec) string {
	if strings.ContainsAny(name, `:="`) {
		name = strconv.Quote(name)
	}
	out := name
	if f.Type != "" || f.Locale != "" {
		out += ":" + f.Type
	}
	if f.Locale != "" {
		out += ":" + f.Locale
	}
	if out += "=" + f.From; f.Path != "" {
		out += ":" + f.Path
	}
	return out
}

// FieldLines writes fields on lines, by name.
func FieldLines(fields map[string]FieldSpec) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, FieldLine(name, fields[name]))
	}
	return lines
}

// ParseFieldLines reads lines in the form of [FieldLine]. A name alone stands for a field that pages declare; a field
// elsewhere that names no type is a text.
func ParseFieldLines(lines []string) (fields map[string]FieldSpec, err error) {
	for _, line := range lines {
		name, f, err := parseFieldLine(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		if _, has := fields[name]; has {
			return nil, fmt.Errorf("the field %s is given twice", name)
		}
		if fields == nil {
			fields = map[string]FieldSpec{}
		}
		fields[name] = f
	}
	return fields, nil
}

const declared = "declared"

func parseFieldLine(line string) (name string, f FieldSpec, err error) {
	bad := func() error {
		return fmt.Errorf("%.80q is not a field: write NAME:TYPE=FROM:PATH, such as price:money=css:.price, or the name of "+
			"a field that pages declare, such as price", line)
	}
	rest := line
	if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
		name, _ = strconv.Unquote(quoted)
		rest = line[len(quoted):]
	} else {
		end := strings.IndexAny(line+"=", ":=")
		name, rest = strings.TrimSpace(line[:end]), line[end:]
	}
	of, where, has := strings.Cut(rest, "=")
	if name == "" || of != "" && of[0] != ':' {
		return "", f, bad()
	}
	f.Type, f.Locale, _ = strings.Cut(strings.TrimPrefix(of, ":"), ":")
	from, path, _ := strings.Cut(where, ":")
	f.Type, f.Locale = strings.TrimSpace(f.Type), strings.TrimSpace(f.Locale)
	f.From, f.Path = strings.TrimSpace(from), strings.TrimSpace(path)
	switch {
	case has && f.From == "":
		return "", f, bad()
	case f.From == "":
		f.From = declared
	case f.From != declared && f.Type == "":
		f.Type = "text"
	}
	return name, f, nil
}
