package dom

import (
	"unicode"
	"unicode/utf8"
)

// Folder collects text the way a browser lays it out. A run of whitespace becomes one space. Invisible characters
// (soft hyphens, zero-width spaces, control characters) are dropped: sites use them as watermarks, and they would
// split words for search.
type Folder struct {
	buf   []byte
	space bool // whitespace followed the last character
}

// Write adds the text of a node.
func (f *Folder) Write(s string) {
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

// gap writes a pending space, except at the beginning of a line.
func (f *Folder) gap() {
	if f.space && len(f.buf) > 0 && f.buf[len(f.buf)-1] != '\n' {
		f.buf = append(f.buf, ' ')
	}
	f.space = false
}

// Line begins a new line unless the current one is empty.
func (f *Folder) Line() {
	f.space = false
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

// From returns the text that was collected after [Folder.Size] returned start.
func (f *Folder) From(start int) string { return string(f.buf[min(start, len(f.buf)):]) }

// Flush returns the collected text and empties the folder.
func (f *Folder) Flush() string {
	s := f.Peek()
	f.buf, f.space = f.buf[:0], false
	return s
}

// Peek returns the collected text, without a line break at its end.
func (f *Folder) Peek() string {
	b := f.buf
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return string(b)
}

// Fold returns s on one line: a run of whitespace becomes one space, and invisible characters, such as soft hyphens,
// are dropped.
func Fold(s string) string {
	var f Folder
	f.Write(s)
	return f.Peek()
}

// IsInvisible reports whether r takes no room and has no meaning between words. The joiners U+200C and U+200D do not
// count: they change how words of several scripts are written.
func IsInvisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsControl(r)
}
