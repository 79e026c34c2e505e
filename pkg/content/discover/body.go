package discover

import (
	"bufio"
	"bytes"
	"cmp"
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

// text reads a body as UTF-8, and decompresses the body while reading. The only read error is io.EOF; the field cut
// holds the reason why reading ended early.
type text struct {
	*bufio.Reader
	cut string
}

// head is the number of bytes at the beginning of a body that are examined to recognize its kind. Warnings of the
// program that made the body may come first.
const head = 16 << 10

// textOf decompresses a body. Some servers compress a file that is already compressed, so textOf undoes up to two
// layers of gzip. The argument label is the charset of the response, or "".
func textOf(body []byte, most int64, label string) *text {
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
	if enc := encodingOf(r, label); enc != nil {
		r = bufio.NewReaderSize(transform.NewReader(r, enc.NewDecoder()), head)
	}
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		r.Discard(3)
	}
	t.Reader = r
	return t
}

// stop records why reading ends. The first reason is kept.
func (t *text) stop(why string) {
	t.cut = cmp.Or(t.cut, why)
}

// bounded returns a reader of at most the given number of bytes from the beginning of r. At the bound, or at an
// error, the reader reports io.EOF instead of failing.
func (t *text) bounded(r io.Reader, most int64) *bufio.Reader {
	return bufio.NewReaderSize(&limited{t, r, most, most}, head)
}

// limited is the bounded reader whose output [text.bounded] buffers.
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

// declared matches the encoding in an XML declaration.
var declared = regexp.MustCompile(`<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// encodingOf returns the encoding of a body, or nil for UTF-8. A byte order mark and the zero bytes of UTF-16 take
// precedence over a declaration (XML 1.0 appendix F). If the declaration can be read as ASCII, the body is not in
// UTF-16, even if the declaration says so. The argument label is the charset of the response; it counts if the body
// declares none.
func encodingOf(r *bufio.Reader, label string) encoding.Encoding {
	begin, _ := r.Peek(head)
	switch {
	case bytes.HasPrefix(begin, []byte{0xff, 0xfe}), bytes.HasPrefix(begin, []byte{'<', 0}):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(begin, []byte{0xfe, 0xff}), bytes.HasPrefix(begin, []byte{0, '<', 0}):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(begin, []byte("\ufeff")):
		return nil
	}
	if m := declared.FindSubmatch(begin); m != nil {
		label = string(m[1])
	}
	switch enc, name := charset.Lookup(label); name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement":
		return nil
	default:
		return enc
	}
}
