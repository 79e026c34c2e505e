package mail

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
)

// label returns the name of a charset without what mails write around it: quotes, "charset=", and a language (RFC 2231
// §5).
func label(name string) string {
	name = strings.ToLower(strings.Trim(name, " \t\"';,"))
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "charset="), "*")
	return strings.Trim(name, " \t\"';,")
}

// onWeb reports whether a name is that of a charset that package web reads.
func onWeb(name string) bool {
	e, canonical := charset.Lookup(name)
	return e != nil && canonical != "replacement"
}

// toUTF8 decodes bytes in a declared charset. In an unknown charset, they are UTF-8 if they can be, or else
// windows-1252.
func toUTF8(raw []byte, name string) string {
	if name = label(name); name == "utf-7" || name == "unicode-1-1-utf-7" {
		return fromUTF7(string(raw))
	}
	var enc encoding.Encoding
	if e, canonical := charset.Lookup(name); e != nil && canonical != "replacement" {
		if canonical == "utf-8" && !utf8.Valid(raw) && mostlyBroken(raw) {
			e = charmap.Windows1252
		}
		enc = e
	} else if enc = rare(name); enc == nil {
		enc = charmap.Windows1252
		if utf8.Valid(raw) {
			return string(raw)
		}
	}
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// mostlyBroken reports whether no sequence of bytes is a letter of UTF-8 beyond ASCII.
func mostlyBroken(raw []byte) bool {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r != utf8.RuneError && size > 1 {
			return false
		}
		raw = raw[size:]
	}
	return true
}

// rare returns the encoding of a charset that only mails have, such as that of DOS; nil if it is unknown.
func rare(name string) encoding.Encoding {
	for _, n := range []string{name, strings.Replace(name, "cp-", "cp", 1), strings.Replace(name, "ibm-", "ibm", 1),
		"ibm" + strings.TrimLeft(name, "cpibmdos-")} {
		if e, err := ianaindex.IANA.Encoding(n); err == nil && e != nil {
			return e
		}
	}
	return nil
}

// fromUTF7 decodes UTF-7 (RFC 2152). What is no code stays as it is.
func fromUTF7(text string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "+")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		n := strings.IndexFunc(rest, func(r rune) bool { return r > 127 || !inAlphabet(byte(r)) })
		if n < 0 {
			n = len(rest)
		}
		raw, err := base64.RawStdEncoding.DecodeString(rest[:n])
		switch {
		case n == 0 || err != nil && len(raw) < 2:
			out.WriteByte('+')
		default:
			units := make([]uint16, len(raw)/2)
			for i := range units {
				units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
			}
			out.WriteString(string(utf16.Decode(units)))
		}
		text = strings.TrimPrefix(rest[n:], "-")
	}
}

// isJapanese reports whether a text without a declared charset is in ISO-2022-JP, by its escapes (RFC 1468).
func isJapanese(content []byte) bool {
	return slices.ContainsFunc([]string{"\x1b$B", "\x1b$@", "\x1b(J"}, func(escape string) bool {
		return bytes.Contains(content, []byte(escape))
	})
}
