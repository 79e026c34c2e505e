package api

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
