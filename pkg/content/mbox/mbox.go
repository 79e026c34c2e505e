// Package mbox reads the mails of an mbox file (RFC 4155) one by one. It reports the byte range of each mail, so that
// a later reader can begin at any of them.
//
// # Where a mail begins
//
// The format has no definition that all writers follow. A mail begins with a line that starts with "From ". After an
// empty line, a line in the form that most writers use (an address and a date) begins a mail. Any other such line only
// begins a mail if the lines of a header follow it, so a sentence does not split a mail. Without an empty line before
// it, because the mail before is truncated, the line also has to contain a day, a time and a year. Lines quoted as in
// mboxrd (">From ", ">>From ") lose one ">". The Content-Length of a mail is believed if a mail begins after it: no
// line before begins another mail.
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
	"strconv"
	"strings"
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
	// From is the From line without "From ", up to 512 bytes.
	From string
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
	blank  bool  // the line before pos is empty, or there is none
	header bool  // pos is in the header of a mail
	length int   // Content-Length of the present mail
	whole  int64 // no mail begins before this position, by the Content-Length of the present one
	from   string
	opened bool // a From line was already read
	inside bool // pos is inside a mail that is too large, after its first part
	buf    []byte
}

const (
	bufferBytes = 1 << 20  // bytes that are looked ahead
	lineBytes   = 64 << 10 // bytes of a line that are returned together
)

// NewReader returns a reader of the mails in a file. The file must be positioned at o.Offset.
func NewReader(in io.Reader, o Options) *Reader {
	return &Reader{
		in: bufio.NewReaderSize(in, bufferBytes), o: o, pos: o.Offset, start: o.Offset,
		fresh: !o.Inside, opened: o.Inside, inside: o.Inside, blank: !o.Inside,
	}
}

// Next returns the next mail. Errors: io.EOF after the last mail; [ErrFormat]; errors of the file.
func (r *Reader) Next() (Mail, error) {
	r.buf = r.buf[:0]
	for {
		at, begins, blank := r.pos, r.fresh, r.blank
		text, err := r.line()
		switch {
		case err == io.EOF && r.opened:
			r.opened = false
			return r.mail(r.pos), nil
		case err != nil:
			return Mail{}, err
		case begins && at >= r.whole && bytes.HasPrefix(text, from):
			text = bytes.Clone(text) // looking ahead moves the buffer
			line := string(text[:min(len(text), longestFrom)])
			if !r.separates(line, blank) {
				break
			}
			if !r.opened {
				r.begin(at, line)
				continue
			}
			m := r.mail(at)
			r.begin(at, line)
			return m, nil
		}
		if !r.opened && len(bytes.TrimSpace(text)) > 0 {
			return Mail{}, ErrFormat
		}
		r.keep(text, begins)
		if r.opened && r.pos-r.start > r.o.Most {
			return r.part(), nil
		}
		if r.header && begins {
			r.inHeader(text)
		}
	}
}

// begin begins a mail with its From line.
func (r *Reader) begin(at int64, line string) {
	r.start, r.opened, r.inside, r.header, r.blank = at, true, false, true, true
	r.from = strings.TrimSpace(strings.TrimPrefix(line, "From"))
}

// inHeader looks for the length of the mail in a line of its header.
func (r *Reader) inHeader(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		r.header = false
		if r.length > 0 && r.endsAfter(r.length) {
			r.whole = r.pos + int64(r.length)
		}
		r.length = 0
		return
	}
	if m := contentLength.FindSubmatch(line); m != nil {
		r.length, _ = strconv.Atoi(string(m[1])) // 0 if it is too large
	}
}

// endsAfter reports whether a mail begins, or the file ends, after the given number of bytes. It looks no further than
// the buffer.
func (r *Reader) endsAfter(n int) bool {
	const lines = 4 // bytes of two ends of lines
	if n+lines+len(from) > bufferBytes {
		return false
	}
	ahead, err := r.in.Peek(n + lines + len(from))
	if len(ahead) < n {
		return false
	}
	rest := bytes.TrimLeft(ahead[n:], "\r\n")
	return bytes.HasPrefix(rest, from) && len(rest) < len(ahead[n:]) || err == io.EOF && len(rest) == 0
}

// separates reports whether a line that starts with "From " begins a mail. The argument blank states whether the line
// before it is empty.
func (r *Reader) separates(line string, blank bool) bool {
	standard := usual.MatchString(line)
	if blank && standard {
		return true
	}
	const most = 2000
	ahead, _ := r.in.Peek(most) // fewer at the end of the file
	if standard {
		return anyField.Match(ahead)
	}
	return (blank || dayTime.MatchString(line) && year.MatchString(line)) && follows.Match(ahead)
}

// line returns the next line, up to a bound. It is valid until the next call.
func (r *Reader) line() ([]byte, error) {
	text, err := r.in.Peek(lineBytes)
	if len(text) == 0 && err != nil {
		return nil, err
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if n := bytes.IndexByte(text, '\n') + 1; n > 0 {
		text = text[:n]
	}
	_, _ = r.in.Discard(len(text)) // no error: the bytes are in the buffer
	began := r.fresh
	r.pos += int64(len(text))
	r.fresh = text[len(text)-1] == '\n'
	r.blank = began && r.fresh && len(bytes.TrimSpace(text)) == 0
	if r.pos == int64(len(text)) {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return text, nil
}

// keep stores a line of the current mail, up to the bound Keep.
func (r *Reader) keep(text []byte, begins bool) {
	if r.inside || !r.opened {
		return
	}
	if begins && len(text) > 0 && text[0] == '>' && bytes.HasPrefix(bytes.TrimLeft(text, ">"), from) {
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
	return Mail{Start: r.start, End: end, Raw: raw, From: r.from}
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

// longestFrom bounds a From line, in bytes.
const longestFrom = 512

var (
	from    = []byte("From ")
	dayTime = regexp.MustCompile(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.*\b\d{1,2}:\d{2}(?::\d{2})?\b`)
	year    = regexp.MustCompile(`\b(?:19|20)\d{2}\b`)
	// usual matches a From line in the form of asctime, with the forms of zones that are in use.
	usual = regexp.MustCompile(`^From .{0,300}?\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? ` +
		`(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2}|\d{1,2} [A-Z][a-z]{2})` +
		`[ ,]+(?:\d{4} +)?\d{1,2}:\d{2}(?::\d{2})?(?: +(?:[A-Z]{1,5}|[+-]\d{4}))*(?: +\d{4})?` +
		`(?: +(?:[A-Z]{1,5}|[+-]\d{4}))?(?: +remote from .*)?\s*$`)
	// follows matches the first field of a header. Lines of another separator or of another field may precede it.
	follows = regexp.MustCompile(`^(?:(?:>?From [^\n]*|[!-9;-~]+[ \t]*:[^\n]*|[ \t]+\S[^\n]*)\r?\n){0,5}?` +
		`(?i:from|to|cc|subject|date|sender|received|status|[!-9;-~]+-[!-9;-~]+)[ \t]*:`)
	anyField      = regexp.MustCompile(`^[!-9;-~]+[ \t]*:`)
	contentLength = regexp.MustCompile(`(?i)^Content-Length[ \t]*:[ \t]*(\d{1,8})\s*$`)
)
