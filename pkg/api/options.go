package api

import (
	"encoding/json"
	"time"
)

// Watch says which parts of a page are watched, and which differences in them count as changes.
type Watch struct {
	Include []string `json:"include,omitempty"` // CSS selectors (JSONPaths for JSON) of the watched parts; the whole page if empty
	Exclude []string `json:"exclude,omitempty"` // CSS selectors (JSONPaths for JSON) of parts to leave out
	Ignore  []string `json:"ignore,omitempty"`  // regular expressions (RE2) of lines to ignore
	Trigger string   `json:"trigger,omitempty"` // a regular expression that the text must match for a change to count
	Index   string   `json:"index,omitempty"`   // the part to index: page (the default) or watched
	// List makes each new entry of a page that lists others a change of the kind listed: tell, add (new entries are
	// registered, too) or addAll (all entries are registered).
	List      string   `json:"list,omitempty"`
	ListLinks []string `json:"listLinks,omitempty"` // CSS selectors (JSONPaths for JSON) of its entries' links
	// Fields are values to read from the page, by name, such as a price. Their changes are reported.
	Fields map[string]FieldSpec `json:"fields,omitempty"`
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
	Min string `json:"min,omitempty"` // the time until the next check after a change
	Max string `json:"max,omitempty"` // the longest time between checks, reached step by step while nothing changes
}

// Schedule says when checks are due, as a cron expression or as text. Each item is checked up to a quarter of an hour
// later. That delay is fixed for an item but differs between items, so that they do not all start at once.
type Schedule struct {
	Cron string `json:"cron,omitempty"` // minute, hour, day, month and weekday: 0 9 * * 1-5
	// daily at 9am; every 2 hours; mondays and thursdays at 08:30; weekdays at 9am and 5pm; monthly on the 1st at
	// noon
	Text     string `json:"text,omitempty"`
	Timezone string `json:"timezone,omitempty"` // an IANA name such as Europe/Paris; default UTC
}

// ActiveHours are the hours in which items are checked automatically. Checks that fall due outside of them wait.
type ActiveHours struct {
	From     string   `json:"from,omitempty"`     // such as 08:00
	To       string   `json:"to,omitempty"`       // such as 18:00; a time before From is on the next day
	Days     []string `json:"days,omitempty"`     // mon to sun; default all
	Timezone string   `json:"timezone,omitempty"` // an IANA name; default UTC
}

// Files says which files of a folder are items. The globs are paths below the folder: * stands for anything but a
// slash, ** for anything, and ? for one character. A glob without a slash is one name, at any depth. A glob that
// matches a folder matches all that is in it. Upper and lower case differ.
type Files struct {
	Include []string `json:"include,omitempty"` // if there are any, only files that match one are items
	Exclude []string `json:"exclude,omitempty"` // files that match one are left out
	Hidden  bool     `json:"hidden,omitempty"`  // also files and folders whose names begin with a dot or with ~$
}

// Rendering says whether pages are read in a browser, with their scripts, and how the browser shows them.
type Rendering struct {
	Render         string   `json:"render,omitempty"`         // never, thin (pages with little text without scripts) or always
	RenderInterval string   `json:"renderInterval,omitempty"` // how often a page is rendered while its own HTML stays the same
	WaitFor        string   `json:"waitFor,omitempty"`        // a CSS selector that must match before the page is read
	Viewport       string   `json:"viewport,omitempty"`       // width and height in pixels; default 1280x1024
	AcceptLanguage string   `json:"acceptLanguage,omitempty"` // such as de or de-DE,de; default en
	ColorScheme    string   `json:"colorScheme,omitempty"`    // light (the default) or dark
	PostHosts      []string `json:"postHosts,omitempty"`      // hosts besides its own site to which the page may send a POST
}

// ItemSettings are the settings of an item. Fields that are left out stay unchanged. Null or an empty object removes
// a setting; the settings of the item's tags or of the app then apply.
type ItemSettings struct {
	Tags        []string     `json:"tags,omitempty"` // replaces all tags
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"` // setting an interval removes the schedule
	Schedule    *Schedule    `json:"schedule,omitempty"` // setting a schedule removes the interval
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"` // 0 (last) to 9 (first); default 5
	Paused      *bool        `json:"paused,omitempty"`   // check only on request
	Files       *Files       `json:"files,omitempty"`    // for a folder
	Rendering
}

// ItemPatch changes the settings of an item.
type ItemPatch struct {
	ID string `json:"-" path:"id"` // The item.
	ItemSettings
	Null []string `json:"-"` // fields that a client sends as null
}

// MarshalJSON implements [json.Marshaler].
func (p ItemPatch) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(p.ItemSettings)
	if err != nil || len(p.Null) == 0 {
		return b, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, err
	}
	for _, name := range p.Null {
		fields[name] = nil
	}
	return json.Marshal(fields)
}

// Effective are the settings in force for an item.
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
	Name string `json:"name"`
	TagSettings
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Run is the bulk run that reschedules the next checks of the tag's items; see POST items/bulk.
	Run string `json:"run,omitempty"`
}

// TagSettings are the settings that a tag can have.
type TagSettings struct {
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"`
	Schedule    *Schedule    `json:"schedule,omitempty"`
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"`
	Rendering
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

// TagPatch changes the settings of a tag. Null or an empty object removes a setting.
type TagPatch struct {
	Name string `json:"-" path:"name"` // The tag.
	TagSettings
}

// TagName identifies a tag by its name.
type TagName struct {
	Name string `json:"-" path:"name"` // The tag.
}
