package mail

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// parser is the state of parsing one mail.
type parser struct {
	body       []byte
	at, end    int             // the current position, and the position at which reading stops
	boundaries map[string]bool // boundaries of the multiparts that were read so far
	nested     int             // number of multiparts that may still be parsed
	header     int             // number of bytes of headers that may still be read
	skip       []span          // ranges of headers that are too long, in order
	left       []left
}

// left is a part of a mail that is not read.
type left struct {
	why  string
	text []byte
}

// onlyParts says that a mail has more parts than are read.
var onlyParts = extract.Only(maxParts, "part")

// parse splits a mail into its parts. If the parts cannot be separated, the whole mail becomes a single text that
// includes the boundaries, because such a text is better than none. The header argument limits the number of bytes of
// headers to read. Errors: Invalid.
func parse(body []byte, header int) (root *enmime.Part, p *parser, err error) {
	p = &parser{body: body, nested: maxNested, header: header}
	if root, err = p.parts(); err != nil {
		p.nested, p.header = 0, header
		root, err = p.parts()
	}
	if err != nil {
		return nil, p, fault.New(fault.Invalid, "broken mail: %.100v", err)
	}
	prepare(root)
	if isMultipart(root) && root.FirstChild == nil {
		p.repair(root)
	}
	return root, p, nil
}

// repair reads a multipart without parts again: its boundary may be known from its text alone, or all of it may have a
// transfer encoding. Otherwise it becomes one text.
func (p *parser) repair(root *enmime.Part) {
	body := afterHeader(p.body)
	inner := decoded(body, root.Header.Get("Content-Transfer-Encoding"), true)
	boundary := root.ContentTypeParams["boundary"]
	if !bytes.Contains(inner, []byte("--"+boundary)) || boundary == "" {
		boundary = boundaryOf(inner)
	}
	again := parser{nested: maxNested, header: p.header, body: append([]byte("Content-Type: "+root.ContentType+
		"; boundary=\""+boundary+"\"\n\n"), inner...)}
	if boundary != "" && len(inner) <= len(body) {
		if whole, err := again.parts(); err == nil && whole.FirstChild != nil {
			prepare(whole)
			root.AddChild(whole.FirstChild)
			p.header, p.left = again.header, append(p.left, again.left...)
			return
		}
	}
	root.ContentType, root.Content = "", body
}

// boundaryOf returns the boundary of a multipart by its closing line; "" if there is none.
func boundaryOf(body []byte) string {
	m := closing.FindSubmatch(body)
	if m == nil || !bytes.Contains(body, append([]byte("--"), append(m[1], '\n')...)) &&
		!bytes.Contains(body, append([]byte("--"), append(m[1], '\r')...)) {
		return ""
	}
	return string(m[1])
}

// closing matches the line that ends a multipart.
var closing = regexp.MustCompile(`(?m)^--([^\s"]{1,70})--\s*?$`)

func (p *parser) parts() (*enmime.Part, error) {
	p.at, p.end, p.boundaries, p.skip, p.left = 0, len(p.body), map[string]bool{}, nil, nil
	p.shorten(0, 0)
	return enmime.NewParser(
		enmime.RawContent(true), // package mail decodes what enmime does not
		enmime.SkipMalformedParts(true),
		enmime.MultipartWOBoundaryAsSinglePart(true),
		enmime.MaxStoredPartErrors(1), // without this, each line of a header may add an error
		enmime.SetReadPartErrorPolicy(func(*enmime.Part, error) bool { return true }),
		enmime.SetCustomParseMediaType(p.mediaType),
	).ReadParts(p)
}

func afterHeader(body []byte) []byte {
	_, rest, found := bytes.Cut(body, []byte("\n\r\n"))
	if _, other, also := bytes.Cut(body, []byte("\n\n")); also && len(other) > len(rest) || !found {
		return other
	}
	return rest
}

func (p *parser) Read(b []byte) (int, error) {
	end := p.next()
	if p.at >= end {
		return 0, io.EOF
	}
	n := copy(b, p.body[p.at:end])
	p.at += n
	return n, nil
}

// mediaType parses a Content-Type. enmime calls this hook for every part, so the hook also checks the bounds of the
// parser. enmime needs only the boundaries; [describe] sets the rest.
func (p *parser) mediaType(value string) (string, map[string]string, []string, error) {
	kind, params := kindOf(value)
	boundary := params["boundary"]
	if !strings.HasPrefix(kind, "multipart/") || !p.admit(boundary) {
		return kind, nil, nil, nil
	}
	return kind, map[string]string{"boundary": boundary}, nil, nil
}

// admit reports whether a multipart may be parsed. If the multipart has too many parts, admit truncates the mail
// there.
func (p *parser) admit(boundary string) bool {
	const longest = 200 // RFC 2046 §5.1.1 allows 70
	if p.boundaries[boundary] {
		return true
	}
	if boundary == "" || len(boundary) > longest || len(p.boundaries) >= p.nested {
		return false
	}
	p.boundaries[boundary] = true
	mark, at := []byte("--"+boundary), 0
	for range maxParts + 1 { // one more, for the closing boundary
		i := bytes.Index(p.body[at:p.end], mark)
		if i < 0 {
			return true
		}
		at += i + len(mark)
		if begins(p.body, at-len(mark)) && !bytes.HasPrefix(p.body[at:], []byte("--")) { // not the closing boundary
			p.shorten(at-len(mark), len(mark))
		}
	}
	if bytes.Contains(p.body[at:p.end], mark) {
		p.left = append(p.left, left{onlyParts, p.body[at:p.end]})
		p.end = at
	}
	return true
}

// begins reports whether a line begins at position at.
func begins(body []byte, at int) bool { return at == 0 || body[at-1] == '\n' }

func isMultipart(p *enmime.Part) bool { return strings.HasPrefix(p.ContentType, "multipart/") }

// isDecoration reports whether p is a picture that an HTML text shows.
func isDecoration(p *enmime.Part) bool {
	return p.ContentID != "" && p.Disposition != "attachment" && strings.HasPrefix(p.ContentType, "image/")
}

// span is a range of bytes in a mail; the byte at to is not included.
type span struct{ from, to int }

// shorten bounds the header that begins at the given position. It subtracts the length of the header from the number
// of header bytes that may still be read. It skips the bytes of the header beyond that number, but never the first
// keep bytes. The bound exists because the parser needs more than a microsecond for each byte of a header.
func (p *parser) shorten(from, keep int) {
	end := headerEnd(p.body[from:p.end]) + from
	if end-from <= p.header {
		p.header -= end - from
		return
	}
	if cut := from + max(p.header, keep); cut < end {
		p.skip = append(p.skip, span{cut, end})
		p.left = append(p.left, left{onlyHeaders, p.body[cut:end]})
		slices.SortFunc(p.skip, func(a, b span) int { return a.from - b.from })
	}
	p.header = 0
}

// onlyHeaders says that the headers of a mail are longer than what is read of them.
var onlyHeaders = "only the first " + words.Count(maxHeader, "byte") + " of headers are read"

// headerEnd returns the end of the last line of a header, before the empty line, or the end of b.
func headerEnd(b []byte) int {
	if bytes.HasPrefix(b, []byte("\n")) || bytes.HasPrefix(b, []byte("\r\n")) {
		return 0
	}
	end := len(b)
	for _, empty := range []string{"\n\n", "\n\r\n"} {
		if i := bytes.Index(b[:end], []byte(empty)); i >= 0 {
			end = i
		}
	}
	return end
}

// next moves past a skipped range that begins at the current position, and returns the end of the range to read.
func (p *parser) next() int {
	for _, s := range p.skip {
		if p.at < s.from {
			return min(s.from, p.end)
		}
		p.at = max(p.at, s.to)
	}
	return p.end
}
