package fetch

import (
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// maxLinks bounds the bytes of Link headers that are read.
const maxLinks = 16 << 10

// CanonicalLink returns the absolute address that the Link headers of an answer give as canonical (RFC 8288); "" if
// they give none, or two. The base is the address that answered.
func CanonicalLink(h http.Header, base string) string {
	found := ""
	rest := strings.Join(h.Values("Link"), ",")
	for rest = rest[:min(len(rest), maxLinks)]; rest != ""; {
		var target string
		var canonical bool
		target, canonical, rest = nextLink(rest)
		if !canonical {
			continue
		}
		address, err := source.Redirect(base, target)
		if err != nil || found != "" && found != address {
			return ""
		}
		found = address
	}
	return found
}

// nextLink reads the first link of a list. It reports whether the link's relation is canonical and its context is the
// page itself.
func nextLink(list string) (target string, canonical bool, rest string) {
	start := strings.IndexByte(list, '<')
	if start < 0 {
		return "", false, ""
	}
	end := strings.IndexByte(list[start:], '>')
	if end < 0 {
		return "", false, ""
	}
	target, list = strings.TrimSpace(list[start+1:start+end]), list[start+end+1:]
	related, anchored := false, false
	for {
		list = strings.TrimLeft(list, " \t")
		if !strings.HasPrefix(list, ";") {
			break
		}
		var name, value string
		name, value, list = nextParam(list[1:])
		switch strings.ToLower(name) {
		case "rel":
			if related { // only the first one counts (RFC 8288 §3.3)
				continue
			}
			related = true
			for _, rel := range strings.Fields(strings.Trim(value, "'")) {
				canonical = canonical || strings.EqualFold(rel, "canonical")
			}
		case "anchor":
			anchored = true
		}
	}
	if comma := strings.IndexByte(list, ','); comma >= 0 {
		return target, canonical && !anchored, list[comma+1:]
	}
	return target, canonical && !anchored, ""
}

// nextParam reads a parameter whose value is a token or a quoted string.
func nextParam(list string) (name, value, rest string) {
	end := strings.IndexAny(list, "=;,")
	if end < 0 || list[end] != '=' {
		if end < 0 {
			end = len(list)
		}
		return strings.TrimSpace(list[:end]), "", list[end:]
	}
	name, list = strings.TrimSpace(list[:end]), strings.TrimLeft(list[end+1:], " \t")
	if !strings.HasPrefix(list, `"`) {
		if end = strings.IndexAny(list, ";,"); end < 0 {
			end = len(list)
		}
		return name, strings.TrimSpace(list[:end]), list[end:]
	}
	var text strings.Builder
	for i := 1; i < len(list); i++ {
		switch {
		case list[i] == '"':
			return name, text.String(), list[i+1:]
		case list[i] == '\\' && i+1 < len(list):
			i++
		}
		text.WriteByte(list[i])
	}
	return name, text.String(), ""
}
