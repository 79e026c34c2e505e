package api

import (
	"encoding/json"
	"time"
)

// Watch says which part of a page counts as a change.
type Watch struct {
	Include []string `json:"include,omitempty"` // CSS selectors of what is watched; all of the page when empty
	Exclude []string `json:"exclude,omitempty"` // CSS selectors of what is not
	Ignore  []string `json:"ignore,omitempty"`  // regular expressions (RE2) of lines that do not count
	Trigger string   `json:"trigger,omitempty"` // a regular expression without which a change does not count
	Index   string   `json:"index,omitempty"`   // what is indexed: page, the default, or watched
}

// Interval bounds the time between two checks: 15m, 1h30m, 7d, 2w. Either may be left out.
type Interval struct {
	Min string `json:"min,omitempty"` // the time after a change
	Max string `json:"max,omitempty"` // what the time grows to while nothing changes
}

// Schedule says when checks are due, by cron or text. Each item comes up to a quarter of an hour later, always by as
// much, so that not all start at once.
type Schedule struct {
	Cron string `json:"cron,omitempty"` // minute, hour, day, month and weekday: 0 9 * * 1-5
	// daily at 9am; every 2 hours; mondays and thursdays at 08:30; weekdays at 9am and 5pm; monthly on the 1st at noon
	Text     string `json:"text,omitempty"`
	Timezone string `json:"timezone,omitempty"` // an IANA name: Europe/Paris; UTC when left out
}

// ActiveHours are when items are checked by themselves. What is due at another time waits.
type ActiveHours struct {
	From     string   `json:"from,omitempty"`     // 08:00
	To       string   `json:"to,omitempty"`       // 18:00; up to From it is of the next day
	Days     []string `json:"days,omitempty"`     // mon to sun; all when left out
	Timezone string   `json:"timezone,omitempty"` // an IANA name; UTC when left out
}

// ItemSettings are what people set for items. What is left out stays as it is; null, or an empty object, removes
// what was set, so that the item's tags decide, or else the settings of the app.
type ItemSettings struct {
	Tags        []string     `json:"tags,omitempty"` // all of them
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"` // takes the place of a schedule
	Schedule    *Schedule    `json:"schedule,omitempty"` // takes the place of an interval
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"` // 0, the last, to 9, the first; 5 where nobody says
	Paused      *bool        `json:"paused,omitempty"`   // checked only when somebody asks for it
	Render      string       `json:"render,omitempty"`   // never; nothing else can be done yet
}

// ItemPatch changes what is set for an item.
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

// Effective is what holds for an item.
type Effective struct {
	TagSettings
	// From says where each of watch.include, watch.exclude, watch.ignore, watch.trigger, watch.index, interval, schedule,
	// activeHours and priority comes from: item, tag and its name, or default. What is not named is not set.
	From map[string]string `json:"from"`
}

// Tag is what a tag sets for the items that have it. An item's own setting wins over its tags', the first tag by name
// over the next.
type Tag struct {
	Name string `json:"name"`
	TagSettings
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Run is the run that has the next checks of the tag's items planned anew, see POST items/bulk.
	Run string `json:"run,omitempty"`
}

// TagSettings are what tags can set.
type TagSettings struct {
	Watch       *Watch       `json:"watch,omitempty"`
	Interval    *Interval    `json:"interval,omitempty"`
	Schedule    *Schedule    `json:"schedule,omitempty"`
	ActiveHours *ActiveHours `json:"activeHours,omitempty"`
	Priority    *int         `json:"priority,omitempty"`
}

// Tags lists the tags that set something, by name.
type Tags struct {
	Tags []Tag `json:"tags"`
}

// TagRequest defines a tag, or defines it anew.
type TagRequest struct {
	Name string `json:"name"` // 1 to 50 letters, digits, spaces and . _ - + & @ :
	TagSettings
}

// TagPatch changes what a tag sets; null, or an empty object, removes what was set.
type TagPatch struct {
	Name string `json:"-" path:"name"` // The tag.
	TagSettings
}

// TagName names a tag.
type TagName struct {
	Name string `json:"-" path:"name"` // The tag.
}
