package discover

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// text is a body as UTF-8, unpacked as it is read. Reading ends with io.EOF and nothing else; why
// it ended early is in cut.
type text struct {
	*bufio.Reader
	cut string
}

// head is how much is looked at to tell what a body is.
const head = 2048

// textOf unpacks a body. Some servers compress a file that is compressed already, so gzip is
// undone up to twice.
func textOf(body []byte, most int64) *text {
	t := &text{}
	r := bufio.NewReaderSize(bytes.NewReader(body), head)
	for range 2 {
		if magic, _ := r.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			break
		}
		unzipped, err := gzip.NewReader(r)
		if err != nil {
			t.stop("the gzip header is damaged")
			r = bufio.NewReader(bytes.NewReader(nil))
			break
		}
		r = t.bounded(unzipped, most)
	}
	r = t.bounded(r, most)
	if enc := encodingOf(r); enc != nil {
		r = bufio.NewReaderSize(transform.NewReader(r, enc.NewDecoder()), head)
	}
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		r.Discard(3)
	}
	t.Reader = r
	return t
}

// stop notes why reading ends; the first reason counts.
func (t *text) stop(why string) {
	if t.cut == "" {
		t.cut = why
	}
}

// bounded reads at most so many bytes of r, and ends instead of failing.
func (t *text) bounded(r io.Reader, most int64) *bufio.Reader {
	return bufio.NewReaderSize(&limited{t, r, most, most}, head)
}

// limited is a reader behind [text.bounded].
type limited struct {
	t          *text
	r          io.Reader
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		if n, _ := io.ReadFull(l.r, make([]byte, 1)); n > 0 {
			l.t.stop(fmt.Sprintf("more than %d bytes", l.most))
		}
		return 0, io.EOF
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		l.t.stop("the compressed data is damaged or ends too early")
		err = io.EOF
	}
	return n, err
}

// declared is the encoding that an XML declaration names.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// encodingOf is what a body has to be decoded from; nil for UTF-8. A byte order mark and the zeros
// of UTF-16 say more than a declaration (XML 1.0 appendix F). A declaration that can be read as
// ASCII cannot be in UTF-16, whatever it says.
func encodingOf(r *bufio.Reader) encoding.Encoding {
	begin, _ := r.Peek(head)
	switch {
	case bytes.HasPrefix(begin, []byte{0xff, 0xfe}), bytes.HasPrefix(begin, []byte{'<', 0}):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(begin, []byte{0xfe, 0xff}), bytes.HasPrefix(begin, []byte{0, '<'}):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(begin, []byte("\ufeff")):
		return nil
	}
	m := declared.FindSubmatch(begin)
	if m == nil {
		return nil
	}
	switch enc, name := charset.Lookup(string(m[1])); name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement":
		return nil
	default:
		return enc
	}
}
