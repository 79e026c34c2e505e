package frame

import (
	"cmp"
	"strings"
)

// labels are the names that people see of fields that errors are about. They are the labels in the templates.
var labels = map[string]string{
	"tags": "Tags", "name": "Name", "url": "Address", "urlFrom": "Name of the setting with the address", "scope": "Scope",
	"every": "Check every", "interval.min": "Minimum interval", "interval.max": "Maximum interval",
	"interval": "Minimum interval",
	"schedule": "Schedule", "schedule.text": "Schedule", "schedule.cron": "Or a cron expression",
	"schedule.timezone": "Time zone of the schedule",
	"activeHours":       "Active hours", "activeHours.from": "From", "activeHours.to": "To",
	"activeHours.days":     "Active hours",
	"activeHours.timezone": "Time zone of the hours", "priority": "Priority",
	"watch": "Only these parts", "watch.include": "Only these parts", "watch.exclude": "Except these parts",
	"watch.ignore": "Ignored lines", "patterns": "Ignored lines", "pattern": "Ignored lines", "hunk": "Ignored lines",
	"text": "Ignored lines", "watch.trigger": "Only if the watched text matches", "watch.index": "What to index",
	"watch.list": "List of other pages", "watch.listLinks": "Links of its entries",
	"files": "Only files like these", "files.include": "Only files like these", "files.exclude": "No files like these",
	"watch.fields": "Values of the page",
	"render":       "Read in a browser, with its scripts", "renderInterval": "Render every", "waitFor": "Wait for",
	"viewport": "Window", "acceptLanguage": "Language to ask for", "colorScheme": "Colours to ask for",
	"postHosts":   "Hosts to which it may send a POST",
	"filter.host": "Host", "filter.tag": "Tag", "filter.items": "Pages that a search finds", "filter.type": "Type",
	"filter.kind": "Kinds of change", "filter.minShare": "Minimum share of the text, in percent",
	"filter.q": "Containing the words", "filter.added": "Added text matches", "filter.removed": "Removed text matches",
	"when": "The condition", "when.field": "The condition", "when.op": "The condition", "when.value": "The condition",
	"when.against": "The condition", "when.unit": "The condition", "when.from": "The condition",
	"when.to": "The condition", "when.first": "The condition",
	"message.title": "Title", "message.text": "Text",
	"channels": "Channels", "digest": "Send", "at": "Time, if daily", "timezone": "Time zone",
	"quietHours": "Quiet hours from", "quietHours.from": "Quiet hours from", "quietHours.to": "to",
	"quietHours.timezone": "Time zone of the quiet hours",
}

// Alert says in one line what is wrong with a form, by the labels of its fields. It is "" if nothing is wrong.
func (f Form) Alert() string {
	if f.Problem == nil {
		return ""
	}
	var parts []string
	for _, e := range f.Problem.Errors {
		name, _, _ := strings.Cut(e.Field, "[") // channels[0].kind
		parts = append(parts, cmp.Or(labels[name], e.Field)+": "+strings.TrimPrefix(e.Message, e.Field+": "))
	}
	if len(parts) == 0 {
		return f.Problem.Error()
	}
	return strings.Join(parts, "; ")
}
