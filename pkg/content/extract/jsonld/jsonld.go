// Package jsonld reads the JSON-LD of a page, as leniently as its consumers do: it reads what is nearly JSON, and says
// what it could not read.
package jsonld

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
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

// Data is the JSON-LD of a page.
type Data struct {
	// Objects may be about the page itself. They are in page order.
	Objects []Object
	Unread  Unread
}

// Unread says what of the declared data of a page could not be read. The zero Unread stands for nothing.
type Unread struct {
	Blocks  int    `json:"n,omitempty"`   // scripts of which some was not read
	Why     string `json:"why,omitempty"` // of the first of them
	Excerpt string `json:"x,omitempty"`   // the text around the error, at most 80 bytes
}

// Add counts a block. The first one says why.
func (u *Unread) Add(why, excerpt string) {
	if u.Blocks++; u.Blocks == 1 {
		const longest = 120
		u.Why, u.Excerpt = words.Clip(strings.ToValidUTF8(why, "\ufffd"), longest), excerpt
	}
}

// String says it for people: "1 block of declared data could not be read: …"; "" for nothing.
func (u Unread) String() string {
	if u.Blocks == 0 {
		return ""
	}
	text := words.Count(u.Blocks, "block") + " of declared data could not be read"
	if u.Blocks > 1 {
		text += ", the first because"
	}
	if text += ": " + u.Why; u.Excerpt != "" {
		text += fmt.Sprintf(", at %q", u.Excerpt)
	}
	return text
}

// Of returns the JSON-LD of a page. It skips comments, reviews and recommended pages, because it does not follow the
// properties that hold them.
func Of(root *html.Node) Data {
	var r reader
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script && IsScript(n) {
			r.read(n.FirstChild.Data)
		}
	}
	return r.data
}

// IsScript reports whether a script element holds JSON-LD. Its type may have parameters, such as a charset.
func IsScript(n *html.Node) bool {
	name, _, _ := strings.Cut(dom.Attr(n, "type"), ";")
	return n.FirstChild != nil && strings.EqualFold(strings.TrimSpace(name), "application/ld+json")
}

// reader gathers the objects of a page.
type reader struct {
	size int
	data Data
	more bool // there are more objects than are kept
}

// read reads one script, which may hold several values.
func (r *reader) read(script string) {
	if r.size += len(script); r.size > maxBytes {
		r.data.Unread.Add(fmt.Sprintf("only %s bytes of JSON-LD are read", words.Thousands(maxBytes)), "")
		return
	}
	text := lenient(plain(script))
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for r.more = false; ; {
		var value any
		at := int(d.InputOffset())
		err := d.Decode(&value)
		if err == nil {
			r.collect(value, 0)
			continue
		}
		if r.more {
			r.data.Unread.Add(fmt.Sprintf("only %d objects are read", maxObjects), "")
		} else if strings.Trim(text[at:], " \t\r\n]};,") != "" { // brackets that close nothing hide nothing
			r.data.Unread.Add(problem(text, at, err))
		}
		return
	}
}

// problem says why a text is no JSON, with what stands around the error. What is read begins at an offset.
func problem(text string, from int, err error) (why, excerpt string) {
	const before, behind, longest = 50, 20, 80
	why, at := err.Error(), len(text)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		why = "it ends too early"
	}
	at = min(max(at, from), len(text))
	excerpt = text[max(from, at-before):min(len(text), at+behind)]
	return why, words.Clip(dom.Fold(strings.ToValidUTF8(excerpt, "")), longest)
}

// plain returns a script whose author has escaped it as if it were the text of a page, as it was meant. No script
// begins with a quote that is escaped.
func plain(script string) string {
	start := strings.TrimLeft(afterComments(strings.TrimPrefix(script, "\ufeff")), "{[ \t\r\n")
	for _, quote := range []string{"&quot;", "&#34;", "&#034;", "&#x22;"} {
		if strings.HasPrefix(start, quote) {
			return html.UnescapeString(script)
		}
	}
	return script
}

// collect keeps the objects that may be about the page.
func (r *reader) collect(value any, depth int) {
	if depth > maxDepth || r.more {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			r.collect(item, depth+1)
		}
	case Object:
		if r.more = len(r.data.Objects) >= maxObjects; r.more {
			return
		}
		r.data.Objects = append(r.data.Objects, v)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			r.collect(v[key], depth+1)
		}
	}
}

// lenient returns JSON in place of a text that is nearly JSON, as consumers of JSON-LD read it: without a byte order
// mark, comments, CDATA markers, and commas and semicolons that end a list or the text. In texts, it escapes what their
// authors did not, quotes among them, and drops escapes that JSON does not know. It adds a comma between two texts on
// two lines. A value that is missing, or that a program wrote for none, is null. Brackets that are missing are not
// added: nobody knows where they belong.
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
		case script[i] == ':':
			out.WriteByte(':')
			if rest := afterComments(script[i+1:]); rest != "" && strings.ContainsAny(rest[:1], ",}") {
				out.WriteString("null")
			}
			i++
		case isLetter(script[i]):
			word := wordAt(script[i:])
			out.WriteString(cmp.Or(programWords[word], word))
			i += len(word)
		default:
			out.WriteByte(script[i])
			i++
		}
	}
	return out.String()
}

// programWords are values as programs in other languages write them, in JSON.
var programWords = map[string]string{"undefined": "null", "NaN": "null", "None": "null", "nil": "null", "NULL": "null",
	"Null": "null", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wordAt returns the letters with which a text begins.
func wordAt(s string) string {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return s[:n]
}

// longestRemark bounds the bytes of a comment of HTML that has words in it. A longer one has JSON in it.
const longestRemark = 400

// lengthOfComment returns the length of the comment or marker with which a text outside of quotes begins; 0 for none.
func lengthOfComment(s string) int {
	if s == "" || strings.IndexByte("<-]/", s[0]) < 0 {
		return 0 // each comment and marker begins with one of these
	}
	if strings.HasPrefix(s, "<!--") {
		end := strings.Index(s[:min(len(s), longestRemark)], "-->")
		if end > 0 && !strings.ContainsAny(s[:end], "{[") {
			return end + len("-->")
		}
	}
	for _, marker := range []string{"<!--", "-->", "<![CDATA[", "]]>", "]]&gt;", "//<![CDATA[", "//]]>"} {
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
