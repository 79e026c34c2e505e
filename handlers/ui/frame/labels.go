package frame

import (
	"cmp"
	"strings"
)

// labels are the names that people see of fields that errors are about, if these have no description. They are the
// labels in the templates.
var labels = map[string]string{
	"name": "Name", "url": "Address", "urlFrom": "Name of the setting with the address", "scope": "Scope",
	"patterns": "Ignored lines", "pattern": "Ignored lines", "hunk": "Ignored lines", "text": "Ignored lines",
	"watch": "What to watch", "files": "Files",
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
		parts = append(parts, cmp.Or(f.label(name), labels[name], e.Field)+": "+strings.TrimPrefix(e.Message, e.Field+": "))
	}
	if len(parts) == 0 {
		return f.Problem.Error()
	}
	return strings.Join(parts, "; ")
}

// label returns what the description calls a setting, or the setting that it is an entry of.
func (f Form) label(path string) string {
	if f.Of == nil {
		return ""
	}
	label := ""
	for _, one := range f.Of.Fields { // an object comes before its parts
		if one.Path == path || strings.HasPrefix(path, one.Path+".") {
			label = one.Label
		}
	}
	return label
}
