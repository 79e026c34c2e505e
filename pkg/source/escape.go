package source

import (
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// Characters that stand for themselves in a canonical path and query (RFC 3986 §3.3 and §3.4).
const (
	unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	pathChars  = unreserved + "!$&'()*+,;=:@/"
	queryChars = pathChars + "?"
)

var (
	inUnreserved = setOf(unreserved)
	inPath       = setOf(pathChars)
	inQuery      = setOf(queryChars)
)

func setOf(chars string) (set [256]bool) {
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return set
}

// canonical brings percent-encoding into its one form (RFC 3986 §6.2.2): escapes of unreserved
// characters are decoded and all others get upper-case hex; bytes outside plain are escaped, as
// they have no place in a URL; a % that begins no escape becomes %25. Reserved characters are
// never decoded, since "a%2Fb" is one segment and "a/b" two. One pass from left to right is
// enough: what it writes it leaves alone the next time.
func canonical(s string, plain *[256]bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' {
			if c, escaped = escapeAt(s, i); escaped {
				i += 2
			}
		}
		if inUnreserved[c] || !escaped && plain[c] {
			b.WriteByte(c)
		} else {
			writeEscape(&b, c)
		}
	}
	return b.String()
}

// escapeAt is the byte that the escape at s[i] stands for; found is false for a stray %.
func escapeAt(s string, i int) (c byte, found bool) {
	if i+2 >= len(s) {
		return '%', false
	}
	high, low := unhex(s[i+1]), unhex(s[i+2])
	if high < 0 || low < 0 {
		return '%', false
	}
	return byte(high<<4 | low), true
}

// unhex is the value of a hex digit, or -1.
func unhex(c byte) int {
	if c >= 'a' && c <= 'f' {
		c -= 'a' - 'A'
	}
	return strings.IndexByte(hexDigits, c)
}

func writeEscape(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(hexDigits[c>>4])
	b.WriteByte(hexDigits[c&15])
}

// fixStray escapes each % that begins no escape and changes nothing else. net/url refuses a path
// with such a %.
func fixStray(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '%' {
			if _, found := escapeAt(s, i); !found {
				b.WriteString("25")
			}
		}
	}
	return b.String()
}

// decode replaces every escape by its byte, reserved or not. It is for looking at names and
// values, never for writing URLs.
func decode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' {
			if c, escaped = escapeAt(s, i); escaped {
				i += 2
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// lower folds ASCII only, so that no exotic letter folds into a tracker's name.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
