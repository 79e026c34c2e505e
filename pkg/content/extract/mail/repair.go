package mail

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Bounds on what is repaired in a header.
const (
	maxValue = 64 << 10 // bytes of a field that are kept
	maxJunk  = 20       // lines in a row that are not header, with header after them
)

// mender repairs the header of a mail: lines that are not header are left out, and where the header runs into the
// body, the body begins.
type mender struct {
	out  []byte
	seen map[string]bool // names of the fields so far
	last string          // name of the last field, in lower case; "" before the first
	size int             // bytes of the last field
	left []left

	pending []byte // lines that are not header, unless header follows
	lines   int    // number of them
}

// mend returns a mail with a header that a parser reads, and what was cut of it.
func mend(body []byte) ([]byte, []left) {
	m := &mender{seen: map[string]bool{}}
	rest := bytes.TrimPrefix(body, []byte("\ufeff"))
	for len(rest) > 0 {
		line, after := cutLine(rest)
		if isBlank(line) {
			if m.ends(line, after) {
				return m.finish(after, true), m.left
			}
			rest = after
			continue
		}
		if !m.add(line) {
			break
		}
		rest = after
	}
	return m.finish(rest, false), m.left
}

// cutLine returns the first line of a text, with its end, and what follows.
func cutLine(text []byte) (line, after []byte) {
	n := bytes.IndexByte(text, '\n') + 1
	n = cmp.Or(n, len(text))
	return text[:n], text[n:]
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// ends reports whether a blank line ends the header. A line of blanks does not if header follows, and neither does a
// line before the first field.
func (m *mender) ends(line, after []byte) bool {
	if m.last == "" {
		after = bytes.TrimLeft(after, "\r\n")
	}
	next, _ := cutLine(after)
	name, _ := nameOf(next)
	if m.last == "" {
		return !isKnown(name)
	}
	return len(bytes.TrimRight(line, "\r\n")) == 0 || !isKnown(name) || m.seen[name]
}

// add adds a line to the header, and reports whether the header goes on.
func (m *mender) add(line []byte) bool {
	name, value := nameOf(line)
	switch {
	case name != "" && m.lines > 0 && once[name] && m.seen[name]:
		return false // a mail that the body quotes
	case name != "" && (m.lines == 0 || isKnown(name)):
		m.resume()
		m.field(name, line[:len(line)-len(value)], value)
	case m.lines == 0 && (line[0] == ' ' || line[0] == '\t'):
		if m.last != "" {
			m.goOn(line)
		}
	default:
		if m.lines++; m.lines > maxJunk {
			return false
		}
		m.pending = append(m.pending, line...)
	}
	return true
}

// nameOf returns the name of the field that a line begins, in lower case, and its value. Blanks may precede the colon
// (RFC 5322 §4.5.8).
func nameOf(line []byte) (name string, value []byte) {
	for i, c := range line {
		switch {
		case c == ':' && i > 0:
			return strings.ToLower(string(bytes.TrimRight(line[:i], " \t"))), line[i+1:]
		case c == ' ' || c == '\t':
			if after := bytes.TrimLeft(line[i:], " \t"); i == 0 || len(after) == 0 || after[0] != ':' {
				return "", nil
			}
		case c <= ' ' || c > '~' || c == ':':
			return "", nil
		}
	}
	return "", nil
}

// known are the names of fields that show that a header goes on.
var known = map[string]bool{}

// once are the fields that a mail has once.
var once = map[string]bool{}

func init() {
	for _, name := range strings.Fields("from to cc subject date sender message-id in-reply-to references reply-to " +
		"mime-version content-type content-transfer-encoding") {
		known[name], once[name] = true, true
	}
	for _, name := range strings.Fields("received bcc comments keywords status precedence importance priority " +
		"organization lines errors-to encoding newsgroups path approved") {
		known[name] = true
	}
}

func isKnown(name string) bool {
	return known[name] || strings.Contains(name, "-") && len(name) < 60
}

// field adds a field.
func (m *mender) field(name string, head, value []byte) {
	head = bytes.TrimRight(head, ": \t")
	m.seen[name], m.last, m.size = true, name, 0
	m.out = append(append(m.out, head...), ':')
	m.goOn(value)
}

// goOn adds a line to the last field, up to the bound.
func (m *mender) goOn(line []byte) {
	if room := max(0, maxValue-m.size); len(line) > room {
		m.left = append(m.left, left{onlyValue, line[room:]})
		line = append(bytes.TrimRight(line[:room], "\r\n"), '\n')
		if room == 0 {
			return
		}
	}
	m.size += len(line)
	m.out = append(m.out, line...)
}

var onlyValue = "only the first " + words.Count(maxValue, "byte") + " of a header field are read"

// resume leaves out lines that are not header, because header follows. A line that goes on with the last field is
// kept: its program has forgotten to indent it.
func (m *mender) resume() {
	first := true
	for rest := m.pending; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		if first = first && m.last != "" && m.goesOn(line); first {
			m.goOn(append([]byte(" "), line...))
		}
	}
	m.pending, m.lines = nil, 0
}

// goesOn reports whether a line without indentation may belong to the last field.
func (m *mender) goesOn(line []byte) bool {
	before, _, colon := bytes.Cut(line, []byte(":"))
	switch {
	case isFromLine(line), bytes.HasPrefix(line, []byte("X-")):
		return false
	case line[0] == '<':
		return strings.HasSuffix(m.last, "-id") || m.last == "references" || m.last == "in-reply-to" || m.last == "to" ||
			m.last == "cc" || m.last == "from"
	}
	return !colon || bytes.Count(before, []byte(" ")) > 1
}

// isFromLine reports whether a line is the separator of an mbox, also in its quoted form.
func isFromLine(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From "))
}

// finish returns the mail. The argument blank states whether a blank line has ended the header. Lines that are not
// header then begin the body, unless the last field or nothing else can have them.
func (m *mender) finish(rest []byte, blank bool) []byte {
	if blank && m.lines > 0 && len(bytes.TrimSpace(rest)) > 0 && m.belongs() {
		m.resume()
	}
	if m.lines > 0 && blank {
		m.pending = append(m.pending, '\n')
	}
	if n := len(m.out); n > 0 && m.out[n-1] != '\n' {
		m.out = append(m.out, '\n')
	}
	out := append(append(m.out, '\n'), m.pending...)
	return append(out, rest...)
}

// belongs reports whether the lines at the end of a header are part of it.
func (m *mender) belongs() bool {
	if m.last == "" {
		return false
	}
	for line := range bytes.Lines(m.pending) {
		text := bytes.TrimSpace(line)
		starts := text[0] >= 'a' && text[0] <= 'z' || text[0] == '<'
		switch {
		case isFromLine(text), bytes.HasPrefix(text, []byte("X-")), bytes.HasPrefix(text, []byte("X ")):
		case text[0] == '<' && text[len(text)-1] == '>' && !bytes.ContainsAny(text, " \t/"): // an address, and no element
		case m.lines == 1 && starts && m.goesOn(line) && (m.last == "subject" || strings.HasPrefix(m.last, "content-") ||
			m.size > 60):
		default:
			return false
		}
	}
	return true
}
