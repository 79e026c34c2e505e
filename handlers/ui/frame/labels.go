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
