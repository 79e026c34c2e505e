package form

import (
	"fmt"
	"strings"
)

// Tables returns the tables of docs/channels.md: all fields of all services.
func Tables() string {
	var out strings.Builder
	for _, s := range Services() {
		fmt.Fprintf(&out, "### %s (`%s`)\n\n%s\n\n| field | in the form | meaning |\n|---|---|---|\n", s.Label, s.Kind, s.Help)
		for _, f := range s.Fields {
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", f.Name, f.Label, f.meaning())
		}
		out.WriteString("\n")
	}
	return out.String()
}

// meaning describes a field in one line.
func (f Field) meaning() string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	switch {
	case f.Secret && f.Optional:
		add("secret, optional")
	case f.Secret:
		add("secret")
	case f.Optional:
		add("optional")
	}
	add(f.Help)
	var choices []string
	for _, c := range f.Choices {
		choices = append(choices, strings.TrimPrefix("`"+c.Value+"`: "+c.Text, "``: "))
	}
	add(strings.Join(choices, "; "))
	if f.Default != "" {
		add("`" + f.Default + "` if empty")
	}
	if f.Example != "" {
		add("such as `" + f.Example + "`")
	}
	return strings.ReplaceAll(strings.Join(out, "; "), "|", `\|`)
}
