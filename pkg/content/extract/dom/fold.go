package dom

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folder collects text the way a browser lays it out. A run of whitespace becomes one space. Invisible characters
// (soft hyphens, zero-width spaces, control characters) are dropped, because sites use them as watermarks, and they
// would split words for search.
//
// Struck text is written between "~~" signs; see [Folder.Strike]. Readings are written in parentheses; see
// [Folder.Behind].
type Folder struct {
	buf   []byte
	space bool // whitespace followed the last character

	strike bool   // the text that follows is struck
	struck bool   // the text so far ends in struck text that has no closing sign yet
	behind []byte // text to write in parentheses after the current word
}

// Write adds the text of a node.
func (f *Folder) Write(s string) {
	if len(f.behind) > 0 {
		s = f.endWord(s)
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c > ' ' && c < 0x7f {
			f.gap()
			end := i + 1
			for end < len(s) && s[end] > ' ' && s[end] < 0x7f {
				end++
			}
			f.buf = append(f.buf, s[i:end]...)
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case unicode.IsSpace(r):
			f.space = true
		case IsInvisible(r):
		default:
			f.gap()
			f.buf = utf8.AppendRune(f.buf, r)
		}
	}
}

// gap writes a pending space, except at the beginning of a line, and the signs around struck text.
func (f *Folder) gap() {
	if f.struck && !f.strike {
		f.buf, f.struck = append(f.buf, StrikeSign...), false
	}
	if f.space && len(f.buf) > 0 && f.buf[len(f.buf)-1] != '\n' {
		f.buf = append(f.buf, ' ')
	}
	f.space = false
	if f.strike && !f.struck {
		f.buf, f.struck = append(f.buf, StrikeSign...), true
	}
}

// StrikeSign is written before and after struck text.
const StrikeSign = "~~"

// Strike sets whether the text that follows is struck. Struck text has "~~" before and after it, on each line.
func (f *Folder) Strike(on bool) { f.strike = on }

// Behind sets the text to write in parentheses after the current word: the reading of its characters. The word ends
// before the first character that is neither a letter nor a digit, so that a search finds the word as a whole.
func (f *Folder) Behind(reading string) {
	if len(f.behind) > 0 && reading != "" {
		f.behind = append(f.behind, ' ')
	}
	f.behind = append(f.behind, reading...)
}

// endWord writes the rest of the current word, which is at the beginning of s, and then the reading. It returns the
// part of s after the word. If the word may continue after s, endWord does not write the reading yet.
func (f *Folder) endWord(s string) (rest string) {
	inWord := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) || IsInvisible(r) && r >= ' ' }
	end := 0
	if !f.space {
		if end = strings.IndexFunc(s, func(r rune) bool { return !inWord(r) }); end < 0 {
			return s
		}
	}
	reading := string(f.behind)
	f.behind = f.behind[:0]
	f.Write(s[:end])
	f.buf = append(f.buf, "("+reading+")"...)
	return s[end:]
}

// end returns the signs that are missing at the end of the line: a reading, and the sign after struck text.
func (f *Folder) end() (missing string) {
	if len(f.behind) > 0 {
		missing = "(" + string(f.behind) + ")"
	}
	if f.struck {
		missing += StrikeSign
	}
	return missing
}

// Before returns the last bytes of the text, at most size of them, and reports whether whitespace followed them.
func (f *Folder) Before(size int) (text []byte, spaced bool) {
	return f.buf[max(0, len(f.buf)-size):], f.space
}

// Line begins a new line unless the current one is empty.
func (f *Folder) Line() {
	f.buf = append(f.buf, f.end()...)
	f.space, f.struck, f.behind = false, false, f.behind[:0]
	if len(f.buf) > 0 && f.buf[len(f.buf)-1] != '\n' {
		f.buf = append(f.buf, '\n')
	}
}

// Size returns the number of bytes collected.
func (f *Folder) Size() int { return len(f.buf) }

// Border makes sure that a space separates the next text from the previous one.
func (f *Folder) Border() { f.space = true }

// EndsLine reports whether the collected text ends in a line break.
func (f *Folder) EndsLine() bool { return len(f.buf) > 0 && f.buf[len(f.buf)-1] == '\n' }

// From returns the text that was collected since [Folder.Size] returned start.
func (f *Folder) From(start int) string { return string(f.buf[min(start, len(f.buf)):]) }

// Flush returns the collected text and empties the folder.
func (f *Folder) Flush() string {
	s := f.Peek()
	f.buf, f.space, f.struck, f.behind = f.buf[:0], false, false, f.behind[:0]
	return s
}

// Peek returns the collected text, without a line break at its end.
func (f *Folder) Peek() string {
	b := f.buf
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return string(b) + f.end()
}

// Fold returns s on one line: a run of whitespace becomes one space, and invisible characters, such as soft hyphens,
// are dropped.
func Fold(s string) string {
	var f Folder
	f.Write(s)
	return f.Peek()
}

// FoldLines folds each line of a text, and drops blank lines.
func FoldLines(s string) string {
	if !strings.Contains(s, "\n") {
		return Fold(s)
	}
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = Fold(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// IsInvisible reports whether r is invisible and has no meaning between words. The joiners U+200C and U+200D are not
// included: they change how words of several scripts are written.
func IsInvisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsControl(r)
}

// PlainDigits writes the digits of other scripts, and the Arabic signs in numbers, as ASCII.
func PlainDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '٫':
			return '.'
		case '٬':
			return ','
		}
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			return r
		}
		zero := r
		for zero > 0 && r-zero < 10 && unicode.IsDigit(zero-1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, s)
}
