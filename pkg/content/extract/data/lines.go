package data

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Calendar reads a calendar (iCalendar, RFC 5545) or address cards (vCard, RFC 6350). Events, tasks and cards are
// sections. The property DTSTAMP is not shown, because servers set it whenever they make the document. The result ok
// is false for another text.
func Calendar(text string, mimeType string, o Options) (doc extract.Document, ok bool) {
	root, left := &node{}, maxNodes
	open := []*node{root}
	for line := range strings.SplitSeq(unfold.ReplaceAllString(text, ""), "\n") {
		name, params, value, found := property(strings.TrimRight(line, "\r"))
		top := open[len(open)-1]
		if left--; left < 0 || len(open) > maxDepth {
			return doc, false
		}
		switch {
		case !found:
		case name == "begin":
			n := &node{name: strings.ToLower(value)}
			top.kids = append(top.kids, n)
			open = append(open, n)
		case name == "end" && len(open) > 1:
			open = open[:len(open)-1]
		case name != "dtstamp":
			top.kids = append(top.kids, &node{name: name + params, text: unescape.Replace(readable(value))})
		}
	}
	if len(root.kids) == 0 || root.kids[0].isLeaf() {
		return doc, false
	}
	if len(root.kids) == 1 {
		root = root.kids[0]
	}
	w := newWriter(mimeType, o)
	w.members(root, 1, "")
	title := titleOf(root)
	for _, kid := range root.kids {
		if kid.name == "x-wr-calname" {
			title = kid.text
		}
	}
	return w.document(title), true
}

// unfold matches the line breaks that divide long lines (RFC 5545 §3.1).
var unfold = regexp.MustCompile(`\r?\n[ \t]`)

// unescape replaces the escaped characters of a text (RFC 5545 §3.3.11).
var unescape = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// property divides a line. The only parameter that is shown is the time zone.
func property(line string) (name, zone, value string, found bool) {
	quoted, end := false, -1
	for i := 0; i < len(line) && end < 0; i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			end = i
		}
	}
	if end < 0 {
		return "", "", "", false
	}
	params := strings.Split(line[:end], ";")
	for _, p := range params[1:] {
		if id, found := strings.CutPrefix(strings.ToUpper(p), "TZID="); found {
			zone = " (" + p[len(p)-len(id):] + ")"
		}
	}
	return strings.ToLower(params[0]), zone, line[end+1:], true
}

// dates matches the dates of calendars.
var dates = regexp.MustCompile(`^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$`)

// readable writes a date as people do. It returns other values unchanged.
func readable(value string) string {
	m := dates.FindStringSubmatch(value)
	switch {
	case m == nil:
		return value
	case m[4] == "":
		return m[1] + "-" + m[2] + "-" + m[3]
	}
	out := m[1] + "-" + m[2] + "-" + m[3] + " " + m[4] + ":" + m[5]
	if m[6] != "00" {
		out += ":" + m[6]
	}
	return out + strings.Replace(m[7], "Z", " UTC", 1)
}
