package openapi

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

var code = regexp.MustCompile("`([^`]*)`")

// prose is a text with paragraphs and with `code`, which is all the markup that descriptions have.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph != "" {
			out.WriteString("<p>" + code.ReplaceAllString(html.EscapeString(paragraph), "<code>$1</code>") + "</p>")
		}
	}
	return template.HTML(out.String()) // escaped above
}

// kind names the type of a schema, with links to named ones.
func kind(s *Schema) template.HTML {
	if s == nil {
		return ""
	}
	if name, found := strings.CutPrefix(s.Ref, "#/components/schemas/"); found {
		name = html.EscapeString(name)
		return template.HTML(`<a href="#schema-` + strings.ToLower(name) + `">` + name + "</a>")
	}
	if len(s.AnyOf) > 0 {
		var kinds []string
		for _, one := range s.AnyOf {
			kinds = append(kinds, string(kind(one)))
		}
		return template.HTML(strings.Join(kinds, " or "))
	}
	if s.Items != nil {
		return "list of " + kind(s.Items) + nullable(s)
	}
	if inner, ok := s.AdditionalProperties.(map[string]any); ok && len(s.Properties) == 0 {
		return "object of " + kind(again(inner))
	}
	if len(s.Type) == 0 {
		return "anything"
	}
	text := strings.Join(s.Type, " or ")
	if s.Format == "date-time" {
		text = "time"
	}
	return template.HTML(html.EscapeString(text))
}

// nullable is added to what names its type otherwise.
func nullable(s *Schema) template.HTML {
	if slices.Contains(s.Type, "null") {
		return " or null"
	}
	return ""
}

// again reads a schema that was decoded as any value.
func again(v map[string]any) *Schema {
	var s Schema
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		panic(err) // it was decoded from a schema
	}
	return &s
}

// bounds says what of the values of a type may be given.
func bounds(s *Schema) string {
	if s == nil {
		return ""
	}
	var parts []string
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(len(s.Enum) > 0, "one of %s", strings.Join(s.Enum, ", "))
	if s.Minimum != nil && s.Maximum != nil {
		add(true, "%d to %d", *s.Minimum, *s.Maximum)
	}
	add(s.MinItems > 0, "at least %d", s.MinItems)
	add(s.MaxItems > 0, "at most %d", s.MaxItems)
	add(s.MaxLength > 0, "at most %d characters", s.MaxLength)
	add(s.Pattern != "", "as %s", s.Pattern)
	add(s.Default != nil, "%v when left out", s.Default)
	return strings.Join(parts, "; ")
}

// needed tells whether a property is always there.
func needed(s *Schema, name string) bool { return slices.Contains(s.Required, name) }
