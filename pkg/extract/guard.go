package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// maxNodes bounds the tree that a body may unfold into, as estimated before it is parsed. A node
// takes about 130 bytes.
const maxNodes = 3_000_000

// tame returns a body that is safe to parse, or ok false when there is none.
//
// HTML reopens formatting elements that were left open (standard §13.2.4.3), so 12 KB of
// <b a1><b a2>… followed by many <p> become a million nodes. No option of the parser bounds that.
// A body that could do so is parsed without its formatting tags, which carry no text.
func tame(body []byte, maxTags int) (tamed []byte, ok bool) {
	tags, nodes := cost(body, maxTags)
	if tags > maxTags {
		return nil, false
	}
	if nodes <= maxNodes {
		return body, true
	}
	body = dropFormatting(body)
	tags, nodes = cost(body, maxTags)
	return body, tags <= maxTags && nodes <= maxNodes
}

// cost counts tags and bounds from above the nodes they make. It reads bytes, not HTML: what
// stands in a script or comment counts too, so there is no context to be mistaken about. Every
// tag may reopen every formatting element seen so far, of which the parser keeps three per
// distinct start tag (the "Noah's Ark clause"); it keeps one link at a time.
func cost(body []byte, maxTags int) (tags, nodes int) {
	open := 1
	seen := map[string]int{}
	for i := bytes.IndexByte(body, '<'); i >= 0 && tags <= maxTags; {
		if isFormatting(tagName(body[i+1:])) {
			key, exact := tagText(body[i+1:])
			if !exact || seen[string(key)] < 3 {
				seen[string(key)]++
				open++
			}
		}
		tags++
		nodes += 1 + open
		next := bytes.IndexByte(body[i+1:], '<')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return tags, nodes
}

// tagName is the run of at most 7 letters at the beginning of b, in lower case.
func tagName(b []byte) []byte {
	n := 0
	for n < len(b) && n < 7 && isLetter(b[n]) {
		n++
	}
	return bytes.ToLower(b[:n])
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tagText is the start tag at the beginning of b up to its ">". It is exact only when every
// attribute is written in the plainest way, so that no reading of quotes could find another end;
// otherwise two tags with equal texts may differ.
func tagText(b []byte) (text []byte, exact bool) {
	const longest = 300
	b = b[:min(len(b), longest)]
	i := nameLen(b)
	for i < len(b) && b[i] == ' ' {
		i++
		name := nameLen(b[i:])
		if i += name; name == 0 || i == len(b) || b[i] != '=' {
			continue
		}
		value := valueLen(b[i+1:])
		if value == 0 {
			return b[:i], false
		}
		i += 1 + value
	}
	return b[:i], i < len(b) && b[i] == '>'
}

// nameLen is the length of the plain word that b begins with.
func nameLen(b []byte) int {
	n := 0
	for n < len(b) && (isLetter(b[n]) || b[n] >= '0' && b[n] <= '9' || b[n] == '-' || b[n] == '_' || b[n] == '#') {
		n++
	}
	return n
}

// valueLen is the length of the attribute value that b begins with, quotes included; 0 if none.
func valueLen(b []byte) int {
	if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return nameLen(b)
	}
	end := bytes.IndexByte(b[1:], b[0])
	if end < 0 {
		return 0
	}
	return end + 2
}

// isFormatting lists the formatting elements of the HTML standard §13.2.4.3, without a.
func isFormatting(name []byte) bool {
	switch string(name) {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

// dropFormatting copies a body without the tags of formatting elements.
func dropFormatting(body []byte) []byte {
	out := make([]byte, 0, len(body))
	z := html.NewTokenizer(bytes.NewReader(body))
	for z.Next() != html.ErrorToken {
		raw := z.Raw()
		if name, isTag := bytes.CutPrefix(raw, []byte("<")); isTag {
			if isFormatting(tagName(bytes.TrimPrefix(name, []byte("/")))) {
				continue
			}
		}
		out = append(out, raw...)
	}
	return out
}
