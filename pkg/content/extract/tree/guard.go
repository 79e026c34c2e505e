package tree

import (
	"bytes"
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// maxNodes limits the estimated number of nodes into which a body may expand. The estimate is made before parsing. A
// node takes about 130 bytes.
const maxNodes = 3_000_000

// tame returns a body that is safe to parse, or ok = false if the body cannot be made safe. Ordinary bodies are
// returned unchanged. No option of the parser prevents the two attacks below.
//
// HTML reopens a formatting element that was not closed, with all its attributes, in later elements (standard
// §13.2.4.3). So 12 KB of <b a1><b a2>… followed by many <p> become a million nodes. A body that could do so is
// parsed without its formatting tags, which carry no text.
//
// HTML adds the attributes of a repeated html or body tag to those of the first one (§13.2.6.4.7). For each such tag
// the parser makes a map of all attributes so far, so the time would be quadratic.
func tame(body []byte, maxTags int) (tamed []byte, ok bool) {
	body = endRepeated(body)
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

// endRepeated keeps the first two html start tags and the first two body start tags. It turns all others into end
// tags, which have no effect in those positions. It keeps two because one may be in a script or comment. Like the
// function cost, endRepeated examines bytes and does not parse HTML.
func endRepeated(body []byte) []byte {
	const kept = 2
	var seen [2]int
	var out []byte
	done := 0
	for i := range tagStarts(body) {
		if which := rootTag(body[i+1:]); which >= 0 {
			if seen[which]++; seen[which] > kept {
				out = append(append(out, body[done:i+1]...), '/')
				done = i + 1
			}
		}
	}
	if done == 0 {
		return body
	}
	return append(out, body[done:]...)
}

// tagStarts yields each position where a tag could begin: each "<".
func tagStarts(body []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := bytes.IndexByte(body, '<'); i >= 0 && yield(i); {
			next := bytes.IndexByte(body[i+1:], '<')
			if next < 0 {
				return
			}
			i += 1 + next
		}
	}
}

// rootTag returns 0 if the tag name at the beginning of b is html, 1 if it is body, and -1 for another name.
func rootTag(b []byte) int {
	if len(b) < 5 || strings.IndexByte(" \t\n\f\r/>", b[4]) < 0 {
		return -1
	}
	switch {
	case bytes.EqualFold(b[:4], []byte("html")):
		return 0
	case bytes.EqualFold(b[:4], []byte("body")):
		return 1
	}
	return -1
}

// cost returns the number of tags, and an upper bound on the nodes that they make, including attributes. It examines
// bytes and does not parse HTML. So it also counts tags in a script or comment, and no body can make it miss a tag.
// Each tag may reopen all formatting elements seen so far. Of these, the parser keeps three for each distinct start
// tag (the "Noah's Ark clause"), and only one link at a time.
func cost(body []byte, maxTags int) (tags, nodes int) {
	open, link := 1, 0
	seen := map[string]int{}
	scan := attrScanner{left: 2 * len(body)}
	for i := range tagStarts(body) {
		if tags > maxTags || nodes > maxNodes {
			break
		}
		switch name := tagName(body[i+1:]); {
		case string(name) == "a":
			link = max(link, scan.weight(body[i+1:]))
		case isFormatting(name):
			key, exact := tagText(body[i+1:])
			if !exact || seen[string(key)] < 3 {
				seen[string(key)]++
				open += 1 + scan.weight(body[i+1:])
			}
		}
		tags++
		nodes += 1 + open + link
	}
	return tags, nodes
}

// attrScanner counts attributes. The field left is the number of bytes that the scanner may still read. Start tags
// overlap only if other text looks like a tag, so ordinary pages never use up these bytes.
type attrScanner struct{ left int }

// weight returns the size of the attributes of the start tag at the beginning of b, in nodes. Two attributes take
// about as much memory as one node. If the scanner cannot read the tag to its end, weight returns a size that exceeds
// every bound.
func (s *attrScanner) weight(b []byte) int {
	n, size := attributes(b[:min(len(b), s.left)])
	if s.left -= size; s.left <= 0 {
		return maxNodes
	}
	return (n + 1) / 2
}

// attributes returns the number of attributes of the start tag at the beginning of b, and the number of bytes up to
// the end of the tag. It finds attributes as the tokenizer does (standard §13.2.5.32 to 39).
func attributes(b []byte) (n, size int) {
	i := 0
	until := func(stop string) {
		if end := bytes.IndexAny(b[i:], stop); end >= 0 {
			i += end
		} else {
			i = len(b)
		}
	}
	skip := func(blank string) { i = len(b) - len(bytes.TrimLeft(b[i:], blank)) }
	const blank = " \t\n\f\r"
	for until(blank + "/>"); i < len(b) && b[i] != '>'; n++ {
		if skip(blank + "/"); i == len(b) || b[i] == '>' {
			break
		}
		i++ // a name may begin with "="
		until(blank + "/=>")
		if skip(blank); i == len(b) || b[i] != '=' {
			continue
		}
		i++
		if skip(blank); i < len(b) && (b[i] == '"' || b[i] == '\'') {
			quote := string(b[i])
			i++
			until(quote)
			i = min(i+1, len(b))
		} else {
			until(blank + ">")
		}
	}
	return n, i
}

// tagName returns the letters at the beginning of b, at most 7, in lower case.
func tagName(b []byte) []byte {
	n := 0
	for n < len(b) && n < 7 && isLetter(b[n]) {
		n++
	}
	return bytes.ToLower(b[:n])
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// tagText returns the start tag at the beginning of b up to its ">". It returns exact = true only if every attribute
// is written in the plainest form, so that the tag ends there however quotes are read. If exact is false, two tags
// with equal texts may differ.
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

// nameLen returns the length of the word of plain characters at the beginning of b.
func nameLen(b []byte) int {
	n := 0
	for n < len(b) && (isLetter(b[n]) || b[n] >= '0' && b[n] <= '9' || b[n] == '-' || b[n] == '_' || b[n] == '#') {
		n++
	}
	return n
}

// valueLen returns the length of the attribute value at the beginning of b, quotes included, or 0 if there is none.
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

// isFormatting reports whether name is that of a formatting element (HTML standard §13.2.4.3), other than a link.
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
