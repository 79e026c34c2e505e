package options

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
)

// The reasons for which a file or folder is not selected.
var (
	ErrHidden  = errors.New("hidden files and folders")
	ErrLeftOut = errors.New("files and folders that include or exclude leaves out")
)

// maxGlob is the length of a glob, in bytes.
const maxGlob = 400

// Selection is compiled [api.Files]. It is safe for concurrent use.
type Selection struct {
	include, exclude []*regexp.Regexp
	hidden           bool
}

// SelectionOf compiles a selection; nil selects what is not hidden. Errors: Invalid, with the name of the field.
func SelectionOf(f *api.Files) (s Selection, err error) {
	if f == nil {
		return s, nil
	}
	s.hidden = f.Hidden
	if s.include, err = globs("files.include", f.Include); err == nil {
		s.exclude, err = globs("files.exclude", f.Exclude)
	}
	return s, err
}

// LeavesOut returns why a file or folder is not selected; nil if it is. What it says of a folder holds for all that is
// in it.
func (s Selection) LeavesOut(at string, isFolder bool) error {
	name := path.Base(at)
	switch {
	case !s.hidden && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$")):
		return ErrHidden
	case matchesAny(s.exclude, at), isFolder && matchesAny(s.exclude, at+"/"):
		return ErrLeftOut
	case !isFolder && len(s.include) > 0 && !matchesAny(s.include, at):
		return ErrLeftOut
	}
	return nil
}

func matchesAny(globs []*regexp.Regexp, at string) bool {
	return slices.ContainsFunc(globs, func(g *regexp.Regexp) bool { return g.MatchString(at) })
}

// globs compiles globs.
func globs(field string, texts []string) (out []*regexp.Regexp, err error) {
	for _, text := range texts {
		switch {
		case strings.Trim(text, "/ ") == "" || len(text) > maxGlob:
			return nil, fault.Field(field, "%s: a glob has 1 to %d bytes, and not only slashes: %.60q", field, maxGlob, text)
		case strings.ContainsFunc(text, unicode.IsControl):
			return nil, fault.Field(field, "%s: a glob has no control characters: %.60q", field, text)
		case strings.ContainsAny(text, "[]{}"):
			return nil, fault.Field(field, "%s: a glob has *, ** and ?, but no [ ] { }: %.60q", field, text)
		}
		re, err := regexp.Compile(expression(strings.TrimSpace(text)))
		if err != nil {
			return nil, fault.Field(field, "%s: %.60q: %w", field, text, err) // unreachable: everything is quoted
		}
		out = append(out, re)
	}
	return out, nil
}

var wildcards = []pattern.Wildcard{{Text: "**/", Expression: "(?:.*/)?"}, {Text: "**", Expression: ".*"},
	{Text: "*", Expression: "[^/]*"}, {Text: "?", Expression: "[^/]"}}

// expression returns the regular expression of a glob.
func expression(glob string) string {
	whole := strings.TrimSuffix(glob, "/")
	begin := "^(?s:"
	if !strings.Contains(whole, "/") {
		begin += "(?:.*/)?" // a name at any depth
	}
	whole = strings.TrimPrefix(whole, "/")
	end := "(?:/.*)?"
	if strings.HasSuffix(glob, "/") {
		end = "/.*"
	}
	return begin + pattern.Wildcards(whole, wildcards...) + end + ")$"
}
