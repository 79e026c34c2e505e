package site

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
)

// maxGlob is the length of a glob, in bytes. The expression that it becomes has at most twice as many.
const maxGlob = 400

// Glob returns the expression of an include or exclude pattern that matches the addresses of a glob. A glob is a path,
// with or without a query, or a whole address: * stands for anything but a slash, ** for anything, and a slash at the
// end for all that is below. Errors: Invalid.
func Glob(text string) (string, error) {
	text = strings.TrimSpace(text)
	begin := "^"
	switch {
	case text == "" || len(text) > maxGlob:
		return "", fault.New(fault.Invalid, "a pattern has 1 to %d bytes, this one %d", maxGlob, len(text))
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", fault.New(fault.Invalid, "%.100q: a pattern has no control characters", text)
	case text[0] != '/' && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://"):
		return "", fault.New(fault.Invalid, "%.100q: a pattern begins with a slash, or with http:// or https://", text)
	}
	if strings.HasPrefix(text, "/") {
		begin += "[a-z]+://[^/]+"
	}
	if below, folder := strings.CutSuffix(text, "/"); folder && below != "" && !strings.HasSuffix(below, ":/") {
		text = below + "/**"
	}
	expression := begin + pattern.Wildcards(text, pattern.Wildcard{Text: "**", Expression: ".*"},
		pattern.Wildcard{Text: "*", Expression: "[^/]*"})
	return below(expression) + "$", nil
}

// globs returns the globs that expressions stand for.
func globs(all []*regexp.Regexp) (out []string) {
	for _, one := range all {
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(one.String(), "^"), "[a-z]+://[^/]+"), "$")
		if folder, found := strings.CutSuffix(text, "(?:[/?].*)?"); found {
			text = folder + "/.*"
		}
		text = escaped.ReplaceAllString(strings.NewReplacer(".*", "**", "[^/]*", "*").Replace(text), "$1")
		if expression, err := Glob(text); err != nil || expression != one.String() {
			text = one.String()
		}
		out = append(out, text)
	}
	return out
}

var escaped = regexp.MustCompile(`\\(.)`)

// below lets the expression of a folder's pages match the folder itself: normalized addresses end without a slash.
func below(expression string) string {
	if folder, found := strings.CutSuffix(expression, "/.*"); found {
		return folder + "(?:[/?].*)?"
	}
	return expression
}
