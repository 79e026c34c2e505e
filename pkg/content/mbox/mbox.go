// Package mbox reads the mails of an mbox file (RFC 4155) one by one, and tells which bytes of the file each
// takes, so that a later reader can begin at any of them.
//
// # Where a mail begins
//
// The format has no definition that all writers keep to. Here a mail begins with a line that starts
// with "From " and names a day of the week, a time of day and a year, as all writers' lines do; an
// empty line before it is not required, because mails that were cut off have none. Other lines that
// start with "From " are text, so an unquoted sentence does not break a mail. Lines that are quoted
// as in mboxrd (">From ", ">>From ") lose one ">".
//
// # Bounds
//
// A reader holds the first [Options].Keep bytes of one mail and one buffer, however long mails and
// lines are. A call of [Reader.Next] reads little more than [Options].Most bytes: a mail longer than
// that comes in parts, all but the first of which are [Mail].Rest.
package mbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
)

// ErrFormat says that a file, or what is left of it, does not begin with a mail.
var ErrFormat = errors.New("not an mbox: its first line is not of the form \"From somebody Thu Jan  1 00:00:00 2026\"")

// Options say where and how to read. Keep and Most are needed.
type Options struct {
	// Offset is where in the file the reader begins: at the Start or End of a mail. When Inside is
	// set, it is one byte before the End of a mail that was TooLarge or Rest.
	Offset int64
	Inside bool
	Keep   int   // bytes of a mail that are held
	Most   int64 // bytes of a mail that is not TooLarge
}

// Mail is one mail of a file.
type Mail struct {
	// Start is where its From line begins, End where the next mail does, or where this one goes on.
	Start, End int64
	// Raw is the mail without its From line, up to Options.Keep bytes. It is overwritten by the next call.
	Raw []byte
	// TooLarge is set when the mail goes on after End.
	TooLarge bool
	// Rest is set when this is not a mail but more of one that was TooLarge. It has no Raw.
	Rest bool
	// Goes is set when a Rest goes on after End, too.
	Goes bool
}

// Reader reads mails. It is not safe for concurrent use.
type Reader struct {
	in     *bufio.Reader
	o      Options
	pos    int64 // of the next byte in the file
	start  int64 // of the mail that is being read
	fresh  bool  // pos is the beginning of a line
	opened bool  // a From line was read
	inside bool  // in what follows a mail that is too large
	buf    []byte
}

const bufferBytes = 64 << 10

// NewReader reads mails from in, which is at o.Offset.
func NewReader(in io.Reader, o Options) *Reader {
	return &Reader{
		in: bufio.NewReaderSize(in, bufferBytes), o: o, pos: o.Offset, start: o.Offset,
		fresh: !o.Inside, opened: o.Inside, inside: o.Inside,
	}
}

// Next reads the next mail. The error is io.EOF after the last, [ErrFormat], or that of the file.
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

// keep holds a line, as far as it is wanted.
func (r *Reader) keep(text []byte, begins bool) {
	if r.inside || !r.opened {
		return
	}
	if begins && text[0] == '>' && bytes.HasPrefix(bytes.TrimLeft(text, ">"), from) {
		text = text[1:]
	}
	r.buf = append(r.buf, text[:min(len(text), r.o.Keep-len(r.buf))]...)
}

// mail is what was read up to end, without the empty line that ends it.
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

// part is the next part of a mail that is longer than Options.Most.
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

// isFrom reports a line that begins a mail.
func isFrom(line []byte) bool {
	const longest = 512
	line = line[:min(len(line), longest)]
	return bytes.HasPrefix(line, from) && dayTime.Match(line) && year.Match(line)
}
