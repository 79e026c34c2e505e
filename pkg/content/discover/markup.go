package discover

import (
	"html"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Bounds within markup. A longer name is cut, because no name with a meaning is that long. A text is cut where it is
// longer than any address.
const (
	maxText  = source.MaxRaw + 1
	maxName  = 64
	maxAttrs = 32
)

// tokenKind is the kind of a [token].
type tokenKind int

const (
	startTag tokenKind = iota
	endTag
	chars // text, with entities decoded
	ended // end of the input
)

// token is a piece of markup. Names are in lower case and without prefixes, because prefixes are often undeclared.
type token struct {
	kind  tokenKind
	name  string
	attrs []attribute
	empty bool // a self-closing start tag
	text  string
}

type attribute struct{ name, value string }

// attr returns the value of an attribute, or "".
func (t token) attr(name string) string {
	for _, a := range t.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// markup splits XML, or text intended as XML, into tokens. It holds one token at a time, reports no syntax errors,
// and expands only the entities of HTML. An "&" or "<" that begins no entity or tag is part of the text.
type markup struct{ r *text }

// next returns the next token. Errors: Invalid for a document type with its own declarations. Attacks use such
// declarations; sitemaps and feeds do not need them.
func (m *markup) next() (token, error) {
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return token{kind: ended}, nil
		}
		if c != '<' {
			m.r.UnreadByte()
			return m.chars(""), nil
		}
		switch c := m.peek(); {
		case c == '?':
			m.skip("?>")
		case c == '!':
			if tok, done, err := m.declaration(); done || err != nil {
				return tok, err
			}
		case c == '/':
			m.r.ReadByte()
			return m.endTag(), nil
		case isNameByte(c):
			return m.startTag(), nil
		default:
			return m.chars("<"), nil
		}
	}
}

// warnings are elements of HTML in which a program that made a document reports mistakes, before the document begins.
var warnings = map[string]bool{
	"br": true, "b": true, "p": true, "i": true, "em": true, "strong": true, "font": true, "div": true, "span": true,
	"pre": true, "code": true, "hr": true, "a": true, "center": true, "table": true, "tbody": true, "tr": true, "th": true,
	"td": true, "ul": true, "ol": true, "li": true, "small": true, "h1": true, "h2": true, "script": true, "style": true,
}

// root returns the start tag of the root element. It skips text before the root, and warnings in HTML.
func (m *markup) root() (tok token, err error) {
	warned := false
	for {
		if tok, err = m.next(); err != nil || tok.kind == ended {
			return tok, err
		}
		switch {
		case tok.kind != startTag:
		case tok.name == "script" || tok.name == "style":
			m.skip("</" + tok.name)
			warned = true
		case warnings[tok.name]:
			warned = true
		case warned && (tok.name == "url" || tok.name == "sitemap"):
		default:
			return tok, nil
		}
	}
}

// peek returns the next byte without reading it, or 0.
func (m *markup) peek() byte {
	b, err := m.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// isNameByte reports whether a name may begin with c. All bytes beyond ASCII count as letters.
func isNameByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// chars reads text up to the next tag.
func (m *markup) chars(begin string) token {
	raw := buffer{bytes: []byte(begin), most: maxText}
	m.until(&raw, func(c byte) bool { return c == '<' })
	return token{kind: chars, text: unescape(raw.String())}
}

// until adds to b the bytes up to the first byte for which stop returns true, or up to the end of the input. That
// byte remains unread.
func (m *markup) until(b *buffer, stop func(byte) bool) {
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return
		}
		if stop(c) {
			m.r.UnreadByte()
			return
		}
		b.add(c)
	}
}

// buffer keeps the beginning of a text, up to a bound. It drops leading blanks, and control characters, which some
// exports leave in addresses.
type buffer struct {
	bytes []byte
	most  int
}

func (b *buffer) add(c byte) {
	if len(b.bytes) == 0 && isSpace(c) || c < ' ' && !isSpace(c) || len(b.bytes) >= b.most {
		return
	}
	b.bytes = append(b.bytes, c)
}

func (b *buffer) String() string { return string(b.bytes) }

// declaration reads a construct that begins with "<!": a document type, text in a CDATA section, or a comment. It
// skips comments.
func (m *markup) declaration() (tok token, done bool, err error) {
	m.r.ReadByte()
	switch begin, _ := m.r.Peek(7); {
	case strings.HasPrefix(string(begin), "--"):
		m.r.Discard(2)
		m.skip("-->")
	case string(begin) == "[CDATA[":
		m.r.Discard(7)
		return token{kind: chars, text: m.upTo("]]>")}, true, nil
	default:
		return token{}, false, m.documentType()
	}
	return token{}, false, nil
}

// documentType skips a document type without declarations.
func (m *markup) documentType() error {
	for {
		switch c, err := m.r.ReadByte(); {
		case err != nil || c == '>':
			return nil
		case c == '[':
			return fault.New(fault.Invalid, "the document declares entities or elements of its own, which are not read")
		}
	}
}

// skip skips everything up to and including end.
func (m *markup) skip(end string) { m.upTo(end) }

// upTo reads up to and including end, and returns the text before end. It recognizes end by the last bytes that were
// read, and therefore finds the end even of a text that was cut for its length.
func (m *markup) upTo(end string) string {
	kept := buffer{most: maxText}
	var last []byte
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return kept.String()
		}
		if last = append(last, c); len(last) > len(end) {
			kept.add(last[0])
			last = append(last[:0], last[1:]...)
		}
		if string(last) == end {
			return kept.String()
		}
	}
}

// endTag reads an end tag, starting after "</".
func (m *markup) endTag() token {
	name := m.name()
	m.until(&buffer{}, func(c byte) bool { return c == '>' || c == '<' })
	if m.peek() == '>' {
		m.r.ReadByte()
	}
	return token{kind: endTag, name: name}
}

// startTag reads a start tag, starting after "<". Another "<" within the tag begins a new tag, because the first tag
// must have lost its ">".
func (m *markup) startTag() token {
	t := token{kind: startTag, name: m.name()}
	for {
		c, err := m.r.ReadByte()
		switch {
		case err != nil || c == '>':
			return t
		case c == '<':
			m.r.UnreadByte()
			return t
		case c == '/':
			t.empty = m.peek() == '>'
		case isNameByte(c):
			m.r.UnreadByte()
			if a := (attribute{m.name(), m.value()}); len(t.attrs) < maxAttrs {
				t.attrs = append(t.attrs, a)
			}
		}
	}
}

// name reads a name and returns its local part in lower case.
func (m *markup) name() string {
	b := buffer{most: maxName}
	m.until(&b, func(c byte) bool { return isSpace(c) || strings.IndexByte("/>=<", c) >= 0 })
	name := b.String()
	return strings.ToLower(name[strings.LastIndexByte(name, ':')+1:])
}

// value reads the value of an attribute, if it has one.
func (m *markup) value() string {
	if m.afterSpace() != '=' {
		return ""
	}
	m.r.ReadByte()
	b, quote := buffer{most: maxText}, m.afterSpace()
	if quote == '"' || quote == '\'' {
		m.r.ReadByte()
		m.until(&b, func(c byte) bool { return c == quote })
		m.r.ReadByte()
	} else {
		m.until(&b, func(c byte) bool { return isSpace(c) || c == '>' || c == '<' })
	}
	return unescape(b.String())
}

// afterSpace skips spaces and returns the next byte without reading it.
func (m *markup) afterSpace() byte {
	for {
		c, err := m.r.ReadByte()
		if err == io.EOF {
			return 0
		}
		if !isSpace(c) {
			m.r.UnreadByte()
			return c
		}
	}
}

// unescape decodes the entities that end in ";". HTML also decodes some entities without the ";". That would turn the
// parameter "&copy=1" of an address into "©=1".
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	const longest = 32
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, _, closed := strings.Cut(rest[:min(len(rest), longest)], ";")
		if !closed || strings.Contains(name, "&") {
			b.WriteByte('&')
			s = rest
			continue
		}
		b.WriteString(html.UnescapeString("&" + name + ";"))
		s = rest[len(name)+1:]
	}
}
