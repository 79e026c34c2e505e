package options

import "slices"

// Edit is a change of options that a request asks for. Fields that the request does not contain stay as they are.
type Edit struct {
	Options          // the fields to set, already validated
	Clear   []string // the fields to remove, of [Editable]
}

// Editable are the fields that an [Edit] may clear.
var Editable = append([]string{"watch", "interval", "schedule", "activeHours", "priority", "files"}, renderFields...)

// Apply returns the options after the edit. An interval replaces a schedule, and a schedule an interval.
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
	if e.Files != nil || has("files") {
		o.Files = e.Files
	}
	edited := e.Rendering // what is edited comes before what was set
	edited.fill(o.Rendering.cleared(e.Clear), func(string) {})
	o.Rendering = edited
	return o
}
