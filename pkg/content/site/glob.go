package site

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
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
	var b strings.Builder
	b.WriteString(begin)
	for i, part := range strings.Split(text, "**") {
		if i > 0 {
			b.WriteString(".*")
		}
		for j, piece := range strings.Split(part, "*") {
			if j > 0 {
				b.WriteString("[^/]*")
			}
			b.WriteString(regexp.QuoteMeta(piece))
		}
	}
	return below(b.String()) + "$", nil
}

// below lets the expression of a folder's pages match the folder itself: normalized addresses end without a slash.
func below(expression string) string {
	if folder, found := strings.CutSuffix(expression, "/.*"); found {
		return folder + "(?:[/?].*)?"
	}
	return expression
}
