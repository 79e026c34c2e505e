// Package percent reads and writes percent-encoding (RFC 3986 §2.1). All code that compares or repairs addresses uses
// this package, and so agrees on what an escape is.
package percent

import "strings"

// These are the characters of RFC 3986 §2.2 and §2.3.
const (
	Unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	Reserved   = ":/?#[]@!$&'()*+,;="
)

// Set is a set of bytes.
type Set [256]bool

// SetOf returns the set of the bytes in chars.
func SetOf(chars string) *Set {
	var set Set
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return &set
}

var unreserved = SetOf(Unreserved)

const hexDigits = "0123456789ABCDEF"

// Byte decodes the escape at s[i]. When no escape begins there, ok is false and c is s[i].
func Byte(s string, i int) (c byte, ok bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return s[i], false
	}
	high, low := unhex(s[i+1]), unhex(s[i+2])
	if high < 0 || low < 0 {
		return s[i], false
	}
	return byte(high<<4 | low), true
}

// unhex returns the value of a hex digit, or -1 for any other character.
func unhex(c byte) int {
	if c >= 'a' && c <= 'f' {
		c -= 'a' - 'A'
	}
	return strings.IndexByte(hexDigits, c)
}

// Write writes the escape of a byte, in upper case.
func Write(to *strings.Builder, c byte) {
	to.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
}

// each(s, write) calls write once for each escape in s, with the byte that the escape encodes, and once for each
// other byte.
func each(s string, write func(out *strings.Builder, c byte, escaped bool)) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c, escaped := Byte(s, i)
		if escaped {
			i += 2
		}
		write(&out, c, escaped)
	}
	return out.String()
}

// Canonical returns the one canonical form of s (RFC 3986 §6.2.2). It decodes escapes of unreserved characters and
// writes all other escapes in upper case. It escapes bytes outside plain, and each % that does not begin an escape.
// It never decodes reserved characters: "a%2Fb" is one segment, and "a/b" is two. Canonical is idempotent.
func Canonical(s string, plain *Set) string {
	return each(s, func(out *strings.Builder, c byte, escaped bool) {
		if unreserved[c] || !escaped && plain[c] {
			out.WriteByte(c)
		} else {
			Write(out, c)
		}
	})
}

// Decode replaces every escape by its byte, reserved or not. Use it to examine names and values, never to write
// addresses.
func Decode(s string) string {
	return each(s, func(out *strings.Builder, c byte, _ bool) { out.WriteByte(c) })
}

// Repair escapes each % that does not begin an escape, and each byte for which odd is true. It keeps existing
// escapes.
func Repair(s string, odd func(c byte) bool) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		_, escape := Byte(s, i)
		if odd(c) || c == '%' && !escape {
			Write(&out, c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}
