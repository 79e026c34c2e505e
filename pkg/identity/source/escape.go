package source

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// The characters that are not escaped in a canonical path and query (RFC 3986 §3.3 and §3.4).
const (
	pathChars  = percent.Unreserved + "!$&'()*+,;=:@/"
	queryChars = pathChars + "?"
)

var (
	inPath  = percent.SetOf(pathChars)
	inQuery = percent.SetOf(queryChars)
)

// fixStray escapes each % that does not begin an escape, because net/url refuses a path with such a character.
func fixStray(s string) string { return percent.Repair(s, func(byte) bool { return false }) }

// lower converts only ASCII letters to lower case. So no other letter can turn into a letter of a tracker's name.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
