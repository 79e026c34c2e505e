package source

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/percent"
	"golang.org/x/net/idna"
)

// parts are the parts of a parsed URL that the rules of this package use.
type parts struct{ scheme, hostname, port, path, query string }

// host returns the name of the host with its port, if that is not the scheme's own.
func (p parts) host() string {
	if p.port == "" {
		return p.hostname
	}
	return p.hostname + ":" + p.port
}

// The characters that no rule of the standard changes in a label of a host, in a path and in a query.
var (
	plainLabel = percent.SetOf("abcdefghijklmnopqrstuvwxyz0123456789-")
	plainPath  = percent.SetOf(percent.Unreserved + "/")
	plainQuery = percent.SetOf(percent.Unreserved + "=&")
)

// only reports whether all bytes of s are in a set.
func only(s string, set *percent.Set) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

// plain parses an address that needs no rule of the standard but that on dot segments. Nearly all links are such, and
// edge takes eight times as long. It reports false for all other addresses, wrong ones among them.
func plain(base, raw string) (p parts, ok bool) {
	raw, _, _ = strings.Cut(raw, "#")
	if base == "" {
		return plainURL(raw)
	}
	base, _, _ = strings.Cut(base, "#")
	if p, ok = plainURL(base); !ok {
		return p, false
	}
	if to, ok := plainURL(raw); ok {
		return to, true
	}
	path, query, _ := strings.Cut(raw, "?")
	if path == "" || strings.HasPrefix(path, "//") || !only(path, plainPath) || !only(query, plainQuery) {
		return p, false
	}
	if path[0] != '/' {
		path = p.path[:strings.LastIndexByte(p.path, '/')+1] + path
	}
	p.path, p.query = withoutDots(path), query
	return p, true
}

// plainURL is [plain] for an absolute URL without a fragment.
func plainURL(raw string) (p parts, ok bool) {
	p.scheme, raw, ok = strings.Cut(raw, "://")
	if !ok || p.scheme != "http" && p.scheme != "https" {
		return p, false
	}
	raw, p.query, _ = strings.Cut(raw, "?")
	authority, path, _ := strings.Cut(raw, "/")
	name, port, hasPort := strings.Cut(authority, ":")
	p.hostname, p.port, p.path = name, port, "/"+path
	if !isPlainHost(name) || hasPort && !isPlainPort(port) || !only(path, plainPath) || !only(p.query, plainQuery) {
		return p, false
	}
	p.path = withoutDots(p.path)
	return p, true
}

// isPlainPort reports whether a port is written as a number that may stay: it is the own one of no scheme.
func isPlainPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n != 80 && n != 443 && strconv.FormatUint(n, 10) == port
}

// isPlainHost reports whether a host is a name in ASCII and lower case without "--", or an IPv4 address.
func isPlainHost(host string) bool {
	last := ""
	for last = range strings.SplitSeq(host, ".") {
		if last == "" || len(last) > 63 || last[0] == '-' || last[len(last)-1] == '-' || !only(last, plainLabel) {
			return false
		}
	}
	if last[0] >= '0' && last[0] <= '9' {
		address, err := netip.ParseAddr(host)
		return err == nil && address.Is4()
	}
	return !strings.Contains(host, "--")
}

// withoutDots resolves the dot segments of an absolute path without escapes, as the standard does.
func withoutDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	var kept []string
	ended := true // the last segment was a dot segment, which leaves an empty one
	for segment := range strings.SplitSeq(path[1:], "/") {
		switch ended = segment == "." || segment == ".."; {
		case !ended:
			kept = append(kept, segment)
		case segment == "..":
			kept = kept[:max(0, len(kept)-1)]
		}
	}
	if ended {
		kept = append(kept, "")
	}
	return "/" + strings.Join(kept, "/")
}

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
