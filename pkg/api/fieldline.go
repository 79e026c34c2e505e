package api

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// FieldLine writes a field of a page on one line, as forms and the command line have it: price:money=css:.price, with
// a locale behind the type: price:money:de-CH=css:.price. A name that has : or = in it is quoted, as in Go.
func FieldLine(name string, f FieldSpec) string {
	if strings.ContainsAny(name, `:="`) {
		name = strconv.Quote(name)
	}
	out := name
	if f.Type != "" || f.Locale != "" {
		out += ":" + f.Type
	}
	if f.Locale != "" {
		out += ":" + f.Locale
	}
	if out += "=" + f.From; f.Path != "" {
		out += ":" + f.Path
	}
	return out
}

// FieldLines writes fields on lines, by name.
func FieldLines(fields map[string]FieldSpec) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, FieldLine(name, fields[name]))
	}
	return lines
}

// ParseFieldLines reads lines in the form of [FieldLine]. A name alone stands for a field that pages declare; a field
// elsewhere that names no type is a text.
func ParseFieldLines(lines []string) (fields map[string]FieldSpec, err error) {
	for _, line := range lines {
		name, f, err := parseFieldLine(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		if _, has := fields[name]; has {
			return nil, fmt.Errorf("the field %s is given twice", name)
		}
		if fields == nil {
			fields = map[string]FieldSpec{}
		}
		fields[name] = f
	}
	return fields, nil
}

const declared = "declared"

func parseFieldLine(line string) (name string, f FieldSpec, err error) {
	bad := func() error {
		return fmt.Errorf("%.80q is not a field: write NAME:TYPE=FROM:PATH, such as price:money=css:.price, or the name of "+
			"a field that pages declare, such as price", line)
	}
	rest := line
	if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
		name, _ = strconv.Unquote(quoted)
		rest = line[len(quoted):]
	} else {
		end := strings.IndexAny(line+"=", ":=")
		name, rest = strings.TrimSpace(line[:end]), line[end:]
	}
	of, where, has := strings.Cut(rest, "=")
	if name == "" || of != "" && of[0] != ':' {
		return "", f, bad()
	}
	f.Type, f.Locale, _ = strings.Cut(strings.TrimPrefix(of, ":"), ":")
	from, path, _ := strings.Cut(where, ":")
	f.Type, f.Locale = strings.TrimSpace(f.Type), strings.TrimSpace(f.Locale)
	f.From, f.Path = strings.TrimSpace(from), strings.TrimSpace(path)
	switch {
	case has && f.From == "":
		return "", f, bad()
	case f.From == "":
		f.From = declared
	case f.From != declared && f.Type == "":
		f.Type = "text"
	}
	return name, f, nil
}
