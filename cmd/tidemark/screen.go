package main

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// screen says what an output can show.
type screen struct {
	terminal bool
	color    bool // terminal, and nobody asked for plain text
	width    int  // columns; 0 when it is no terminal
}

// screenOf looks at f. NO_COLOR is honoured as https://no-color.org asks: any value turns it off.
func screenOf(f *os.File, getenv func(string) string) screen {
	if !term.IsTerminal(int(f.Fd())) {
		return screen{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return screen{terminal: true, color: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb", width: width}
}

// bold makes text stand out, where that can be shown.
func (s screen) bold(text string) string {
	if !s.color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// clean makes text of strangers fit to print: one line, valid UTF-8, and nothing that could steer
// a terminal or turn the direction of what follows.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return unicode.ReplacementChar
		}
		return r
	}, text) // Map writes U+FFFD for bytes that are no UTF-8
	return strings.Join(strings.Fields(text), " ")
}

// cleanLines is clean for a message of several lines.
func cleanLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = clean(l)
	}
	return strings.Join(lines, "\n")
}

// wrap breaks text into lines of at most width runes at spaces; a longer word has a line of its
// own. Marks (see markup) take no room. Width 0 means one line.
func wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	var line []string
	used := 0
	for _, word := range strings.Fields(text) {
		n := visible(word)
		if used > 0 && used+1+n > width {
			lines, line, used = append(lines, strings.Join(line, " ")), nil, 0
		}
		if used > 0 {
			used++
		}
		line, used = append(line, word), used+n
	}
	return append(lines, strings.Join(line, " "))
}

// visible counts the runes of text that take room.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if r != markOn && r != markOff {
			n++
		}
	}
	return n
}

// cut shortens text to width runes, ending in an ellipsis when something is missing.
func cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return words.ClipRunes(text, width-1) + "…"
}
