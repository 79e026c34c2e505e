package source

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// displayHost returns the host with its port, and with punycode decoded. It does not decode a name if the decoded
// name would parse to another host, or if IDNA forbids showing it.
func displayHost(u parts) string {
	host := u.hostname
	if !strings.Contains(host, "xn--") {
		return u.host()
	}
	shown, err := idna.Display.ToUnicode(host)
	if err != nil || strings.ContainsFunc(shown, unreadable) {
		return u.host()
	}
	if back, err := edge.Parse(u.scheme + "://" + shown); err != nil || back.Hostname() != host {
		return u.host() // Fuzzing has found no way to get here: the parser refuses such names.
	}
	u.hostname = shown
	return u.host()
}

// readable decodes the escapes of printable Unicode characters beyond ASCII. It keeps all other escapes. Decoded
// ASCII could change the meaning of the URL, spaces and invisible or direction-changing characters would mislead, and
// bytes that are not UTF-8 cannot be shown.
func readable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		run := escapedRun(s)
		if run == 0 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		writeReadable(&b, s[:run])
		s = s[run:]
	}
	return b.String()
}

// escapedRun returns the length of the run of escapes at the beginning of s. The argument s is canonical, so each %
// begins an escape.
func escapedRun(s string) (n int) {
	for n < len(s) && s[n] == '%' {
		n += 3
	}
	return n
}

// writeReadable writes a run of escapes. It decodes those that are safe to show.
func writeReadable(b *strings.Builder, escapes string) {
	for text := percent.Decode(escapes); text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		if r < utf8.RuneSelf || r == utf8.RuneError || unreadable(r) {
			b.WriteString(escapes[:3*size])
		} else {
			b.WriteString(text[:size])
		}
		text, escapes = text[size:], escapes[3*size:]
	}
}

// unreadable reports whether a reader could not recognize a character on the screen. This is so for controls, format
// characters, private-use and unassigned characters, and spaces.
func unreadable(r rune) bool { return !unicode.IsPrint(r) }
