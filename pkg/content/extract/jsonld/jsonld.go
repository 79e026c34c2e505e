// Package jsonld reads the JSON-LD of a page, as leniently as its consumers do: it reads what is nearly JSON, and
// ignores what is not JSON.
package jsonld

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds: the bytes of all scripts of a page, the depth at which objects are found, and their number.
const (
	maxBytes   = 256 << 10
	maxDepth   = 8
	maxObjects = 500
)

// Object is a JSON object, as [json.Unmarshal] makes it. Its numbers are of the type [json.Number].
type Object = map[string]any

// Of returns the objects of a page that may be about the page itself, in page order. It skips comments, reviews and
// recommended pages, because it does not follow the properties that hold them.
func Of(root *html.Node) []Object {
	var r reader
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script && IsScript(n) {
			r.read(n.FirstChild.Data)
		}
	}
	return r.objects
}

// IsScript reports whether a script element holds JSON-LD. Its type may have parameters, such as a charset.
func IsScript(n *html.Node) bool {
	name, _, _ := strings.Cut(dom.Attr(n, "type"), ";")
	return n.FirstChild != nil && strings.EqualFold(strings.TrimSpace(name), "application/ld+json")
}

// reader gathers the objects of a page.
type reader struct {
	size    int
	objects []Object
}

// read reads one script, which may hold several values. It ignores what is not JSON.
func (r *reader) read(script string) {
	if r.size += len(script); r.size > maxBytes {
		return
	}
	d := json.NewDecoder(strings.NewReader(lenient(script)))
	d.UseNumber()
	for {
		var value any
		if d.Decode(&value) != nil {
			return
		}
		r.collect(value, 0)
	}
}

// collect keeps the objects that may be about the page.
func (r *reader) collect(value any, depth int) {
	if depth > maxDepth || len(r.objects) >= maxObjects {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			r.collect(item, depth+1)
		}
	case Object:
		r.objects = append(r.objects, v)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			r.collect(v[key], depth+1)
		}
	}
}

// lenient returns JSON in place of a text that is nearly JSON, as consumers of JSON-LD read it: without a byte order
// mark, comments, CDATA markers, and commas and semicolons that end a list or the text. In texts, it escapes what their
// authors did not, quotes among them, and drops escapes that JSON does not know. It adds a comma between two texts on
// two lines.
func lenient(script string) string {
	script = strings.TrimSpace(strings.TrimPrefix(script, "\ufeff"))
	var out strings.Builder
	for i := 0; i < len(script); {
		switch n := lengthOfComment(script[i:]); {
		case script[i] == '"':
			end := endOfText(script, i)
			writeText(&out, script[i:end])
			if i = end; strings.HasPrefix(afterComments(script[i:]), `"`) {
				out.WriteByte(',') // the one between two members is missing
			}
		case n > 0:
			i += n
		case script[i] == ',' || script[i] == ';':
			if rest := afterComments(script[i+1:]); rest != "" && !strings.ContainsAny(rest[:1], "]},;") && script[i] == ',' {
				out.WriteByte(',')
			}
			i++
		default:
			out.WriteByte(script[i])
			i++
		}
	}
	return out.String()
}

// lengthOfComment returns the length of the comment or marker with which a text outside of quotes begins; 0 for none.
func lengthOfComment(s string) int {
	if s == "" || strings.IndexByte("<-]/", s[0]) < 0 {
		return 0 // each comment and marker begins with one of these
	}
	for _, marker := range []string{"<!--", "-->", "<![CDATA[", "]]>", "//<![CDATA[", "//]]>"} {
		if strings.HasPrefix(s, marker) {
			return len(marker)
		}
	}
	for _, comment := range [][2]string{{"//", "\n"}, {"/*", "*/"}} {
		if inner, found := strings.CutPrefix(s, comment[0]); found {
			if end := strings.Index(inner, comment[1]); end >= 0 {
				return len(comment[0]) + end + len(comment[1])
			}
			return len(s)
		}
	}
	return 0
}

// afterComments returns a text without the blanks and comments at its beginning.
func afterComments(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		n := lengthOfComment(s)
		if n == 0 {
			return s
		}
		s = s[n:]
	}
}

// endOfText returns the offset behind the text that begins with a quote. A quote ends the text only if one of the signs
// follows that stand behind a text, or another text on a new line. Others are those that an author did not escape.
func endOfText(s string, start int) int {
	for i := start + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			rest := strings.TrimLeft(s[i+1:], " \t\r\n")
			blanks := s[i+1 : len(s)-len(rest)]
			if rest == "" || strings.IndexByte(",:}];</-", rest[0]) >= 0 ||
				rest[0] == '"' && strings.Contains(blanks, "\n") {
				return i + 1
			}
		}
	}
	return len(s)
}

// writeText writes a text in quotes.
func writeText(out *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < ' ':
			out.WriteByte(' ')
		case s[i] == '"' && i > 0 && i+1 < len(s):
			out.WriteString(`\"`)
		case s[i] == '\\' && i+1 < len(s):
			if i++; strings.IndexByte(`"\/bfnrtu`, s[i]) >= 0 {
				out.WriteByte('\\')
			}
			out.WriteByte(s[i])
		default:
			out.WriteByte(s[i])
		}
	}
}
