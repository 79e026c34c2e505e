package form

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Tables returns the tables of docs/channels.md: all fields of all services.
func Tables() string {
	var out strings.Builder
	for _, s := range Services() {
		fmt.Fprintf(&out, "### %s (`%s`)\n\n%s\n\n", s.Label, s.Kind, wrapped(s.Help))
		out.WriteString("| field | in the form | meaning |\n|---|---|---|\n")
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

// wrapped breaks a text into lines of at most 120 characters.
func wrapped(text string) string {
	var out strings.Builder
	size := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case size == 0:
		case size+1+n > 120:
			out.WriteString("\n")
			size = 0
		default:
			out.WriteString(" ")
			size++
		}
		out.WriteString(word)
		size += n
	}
	return out.String()
}
