package options

import "slices"

// Edit is what a request changes of options. What it does not name stays.
type Edit struct {
	Options          // what is set; validated
	Clear   []string // fields that are set no longer: "watch", "interval", "schedule", "activeHours", "priority"
}

// Editable are the fields that an [Edit] may clear.
var Editable = []string{"watch", "interval", "schedule", "activeHours", "priority"}

// Zero reports whether nothing is changed.
func (e Edit) Zero() bool { return e.Options.Zero() && len(e.Clear) == 0 }

// Apply gives options as they are after the edit. An interval takes the place of a schedule, and the other way round.
func (e Edit) Apply(o Options) Options {
	has := func(field string) bool { return slices.Contains(e.Clear, field) }
	if e.Watch != nil || has("watch") {
		o.Watch = e.Watch
	}
	if e.Interval != nil || e.Schedule != nil || has("interval") {
		o.Interval = e.Interval
	}
	if e.Schedule != nil || e.Interval != nil || has("schedule") {
		o.Schedule = e.Schedule
	}
	if e.ActiveHours != nil || has("activeHours") {
		o.ActiveHours = e.ActiveHours
	}
	if e.Priority != nil || has("priority") {
		o.Priority = e.Priority
	}
	return o
}
