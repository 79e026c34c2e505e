// Package mbox reads the mails of an mbox file (RFC 4155) one by one. It reports the byte range of each mail, so that
// a later reader can begin at any of them.
//
// # Where a mail begins
//
// The format has no definition that all writers follow. Here a mail begins with a line that starts with "From " and
// contains a day of the week, a time of day and a year. All writers put these into the line. An empty line before
// this line is not required, because a truncated mail may not end in one. Other lines that start with "From " are
// text, so an unquoted sentence does not split a mail. Lines quoted as in mboxrd (">From ", ">>From ") lose one ">".
//
// # Bounds
//
// A reader holds one buffer and the first [Options].Keep bytes of one mail, however long mails and lines are. A call
// of [Reader.Next] reads little more than [Options].Most bytes. A longer mail is returned in parts. All parts after
// the first have [Mail].Rest set.
package mbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
)

// ErrFormat reports that a file, or the rest of it, does not begin with a mail.
var ErrFormat = errors.New("not an mbox: its first line is not of the form \"From somebody Thu Jan  1 00:00:00 2026\"")

// Options configure a reader. Keep and Most are required.
type Options struct {
	// Offset is the position in the file at which the reader begins: the Start or End of a mail. If Inside is set,
	// Offset is one byte before the End of a mail that has TooLarge or Rest set.
	Offset int64
	Inside bool
	Keep   int   // largest number of bytes of a mail that are kept
	Most   int64 // largest size in bytes of a mail that is not TooLarge
}

// Mail is one mail of a file.
type Mail struct {
	// Start is the beginning of the From line. End is the position at which the next mail begins, or at which this
	// mail continues.
	Start, End int64
	// Raw is the mail without its From line, up to Options.Keep bytes. It is valid until the next call.
	Raw []byte
	// TooLarge reports that the mail continues after End.
	TooLarge bool
	// Rest reports that this is a further part of a mail that was TooLarge. Such a part has no Raw bytes.
	Rest bool
	// Goes reports that Rest is set and the mail continues after End.
	Goes bool
}

// Reader reads mails. It is not safe for concurrent use.
type Reader struct {
	in     *bufio.Reader
	o      Options
	pos    int64 // position of the next byte in the file
	start  int64 // position of the current mail
	fresh  bool  // pos is the beginning of a line
	opened bool  // a From line was already read
	inside bool  // pos is inside a mail that is too large, after its first part
	buf    []byte
}

const bufferBytes = 64 << 10

// NewReader returns a reader of the mails in a file. The file must be positioned at o.Offset.
func NewReader(in io.Reader, o Options) *Reader {
	return &Reader{
		in: bufio.NewReaderSize(in, bufferBytes), o: o, pos: o.Offset, start: o.Offset,
		fresh: !o.Inside, opened: o.Inside, inside: o.Inside,
	}
}

// Next returns the next mail. Errors: io.EOF after the last mail; [ErrFormat]; errors of the file.
func (r *Reader) Next() (Mail, error) {
	r.buf = r.buf[:0]
	for {
		at, begins := r.pos, r.fresh
		text, err := r.line()
		switch {
		case err == io.EOF && r.opened:
			r.opened = false
			return r.mail(r.pos), nil
		case err != nil:
			return Mail{}, err
		case begins && isFrom(text) && r.opened:
			m := r.mail(at)
			r.start, r.inside = at, false
			return m, nil
		case begins && isFrom(text):
			r.start, r.opened = at, true
			continue
		case !r.opened && len(bytes.TrimSpace(text)) > 0:
			return Mail{}, ErrFormat
		}
		r.keep(text, begins)
		if r.opened && r.pos-r.start > r.o.Most {
			return r.part(), nil
		}
	}
}

// line gives the next line, or what of it fits the buffer.
func (r *Reader) line() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if len(text) == 0 && err != nil {
		return nil, err
	}
	r.pos += int64(len(text))
	r.fresh = text[len(text)-1] == '\n'
	if errors.Is(err, bufio.ErrBufferFull) || err == io.EOF {
		err = nil
	}
	return text, err
}

// keep stores a line of the current mail, up to the bound Keep.
func (r *Reader) keep(text []byte, begins bool) {
	if r.inside || !r.opened {
		return
	}
	if begins && text[0] == '>' && bytes.HasPrefix(bytes.TrimLeft(text, ">"), from) {
		text = text[1:]
	}
	r.buf = append(r.buf, text[:min(len(text), r.o.Keep-len(r.buf))]...)
}

// mail returns the mail that ends at the given position, without the empty line at its end.
func (r *Reader) mail(end int64) Mail {
	if r.inside {
		return Mail{Start: r.start, End: end, Rest: true}
	}
	raw := r.buf
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if bytes.HasSuffix(raw, []byte(blank)) {
			raw = raw[:len(raw)-len(blank)/2]
			break
		}
	}
	return Mail{Start: r.start, End: end, Raw: raw}
}

// part returns the next part of a mail that is longer than Options.Most.
func (r *Reader) part() Mail {
	m := Mail{Start: r.start, End: r.pos, Raw: r.buf, TooLarge: true}
	if r.inside {
		m = Mail{Start: r.start, End: r.pos, Rest: true, Goes: true}
	}
	r.start, r.inside = r.pos, true
	return m
}

var (
	from    = []byte("From ")
	dayTime = regexp.MustCompile(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.*\b\d{1,2}:\d{2}(?::\d{2})?\b`)
	year    = regexp.MustCompile(`\b(?:19|20)\d{2}\b`)
)

// isFrom reports whether a line begins a mail.
func isFrom(line []byte) bool {
	const longest = 512
	line = line[:min(len(line), longest)]
	return bytes.HasPrefix(line, from) && dayTime.Match(line) && year.Match(line)
}
