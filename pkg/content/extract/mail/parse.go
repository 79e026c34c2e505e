package mail

import (
	"bytes"
	"io"
	"mime"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// undecoded is put before the media types of texts, so that enmime does not decode their charsets. enmime trusts its
// own detector more than the declaration in the mail. Of several equally likely charsets, the detector may return
// any.
const undecoded = "undecoded-"

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
	if isMultipart(root) && root.FirstChild == nil {
		root.ContentType, root.Content = "", afterHeader(body)
	}
	return root, p, nil
}

func (p *parser) parts() (*enmime.Part, error) {
	p.at, p.end, p.boundaries, p.skip, p.left = 0, len(p.body), map[string]bool{}, nil, nil
	p.shorten(0, 0)
	return enmime.NewParser(
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

// mediaType parses a Content-Type or Content-Disposition. Of a broken value, it keeps only the type before the ";".
// enmime calls this hook for every part, so the hook also checks the bounds of the parser.
func (p *parser) mediaType(value string) (string, map[string]string, []string, error) {
	value = value[:min(len(value), maxField)] // parsing takes quadratic time
	kind, params, _, err := mediatype.Parse(value)
	if err != nil {
		kind, _, _ = strings.Cut(value, ";")
		kind, params = strings.ToLower(strings.TrimSpace(kind)), nil
	}
	if boundary, ok := params["boundary"]; ok && !(strings.HasPrefix(kind, "multipart/") && p.admit(boundary)) {
		delete(params, "boundary")
	}
	if strings.HasPrefix(kind, "text/") {
		kind = undecoded + kind
	}
	return kind, params, nil, nil
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

// isText reports whether p is a text of the mail itself. A part that declares no type is plain text (RFC 2045 §5.2).
func isText(p *enmime.Part) bool {
	if p.Disposition == "attachment" || p.FileName != "" {
		return false
	}
	return isHTML(p) || p.ContentType == undecoded+"text/plain" || p.ContentType == ""
}

func isHTML(p *enmime.Part) bool { return p.ContentType == undecoded+"text/html" }

// isDecoration reports whether p is a picture that an HTML text shows.
func isDecoration(p *enmime.Part) bool {
	return p.ContentID != "" && p.Disposition != "attachment" && strings.HasPrefix(p.ContentType, "image/")
}

// contentType returns the type of a part with its declared charset. It ignores a declared charset of ASCII, because
// programs often declare ASCII when they do not know the charset.
func contentType(p *enmime.Part) string {
	kind := strings.TrimPrefix(p.ContentType, undecoded)
	if kind == "" {
		kind = "text/plain"
	}
	if p.Charset == "" || strings.EqualFold(p.Charset, "us-ascii") {
		return kind
	}
	if full := mime.FormatMediaType(kind, map[string]string{"charset": p.Charset}); full != "" {
		return full
	}
	return kind
}
