package terminal

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Wrap breaks text at spaces into lines of at most width runes. A longer word gets a line to itself. The markers of
// [Markup] have no width. Width 0 means one line.
func Wrap(text string, width int) []string {
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

// visible counts the runes of text that take up space on the screen.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if r != highlightOn && r != highlightOff {
			n++
		}
	}
	return n
}

// Cut shortens text to width runes. A shortened text ends in an ellipsis.
func Cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return words.ClipRunes(text, width-1) + "…"
}

// Markers around highlights. They are control characters, which [Clean] removes from every text.
const (
	highlightOn  = '\x01'
	highlightOff = '\x02'
)

// Markup cleans a passage and puts markers around its highlights, which [Screen.Render] shows. It skips ranges that
// are outside the text, out of order, or that split a character.
func Markup(p api.Passage) string {
	var b strings.Builder
	at := 0
	for _, h := range p.Highlights {
		if h.From < at || h.To <= h.From || h.To > len(p.Text) || !boundary(p.Text, h.From) || !boundary(p.Text, h.To) {
			continue
		}
		b.WriteString(CleanPiece(p.Text[at:h.From]))
		b.WriteRune(highlightOn)
		b.WriteString(Clean(p.Text[h.From:h.To]))
		b.WriteRune(highlightOff)
		at = h.To
	}
	b.WriteString(CleanPiece(p.Text[at:]))
	return strings.TrimSpace(b.String())
}

// boundary reports whether a character begins at byte i of s, or i is the end of s.
func boundary(s string, i int) bool {
	return i == len(s) || s[i]&0xc0 != 0x80
}

// Clean makes text of an unknown host safe to print; see [words.Clean].
func Clean(text string) string { return words.Clean(text) }

// CleanLines does the same as [Clean] for a message of several lines.
func CleanLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
}

// CleanPiece does the same as [Clean] for a piece of a longer text; see [words.CleanPiece].
func CleanPiece(s string) string { return words.CleanPiece(s) }

// CleanText does the same as [Clean] for a text whose lines and spaces must be kept.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && words.Steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Row returns a line of a table. It cleans texts, and writes numbers with a comma between thousands.
func Row(cells ...any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			texts[i] = Clean(c)
		case int:
			texts[i] = words.Thousands(c)
		default:
			panic(fmt.Sprintf("a table has no cells of type %T", c))
		}
	}
	return strings.Join(texts, "\t")
}

// Table writes rows in columns.
func Table(out io.Writer, rows ...string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	return w.Flush()
}

// List prints a table with a row for each item, or a text if there are none. With --json it prints nothing.
func List[T any](t *Terminal, items []T, none, header string, row func(T) string) error {
	t.SayWhen(len(items) == 0, "%s", none)
	if t.JSON || len(items) == 0 {
		return nil
	}
	rows := []string{header}
	for _, item := range items {
		rows = append(rows, row(item))
	}
	return Table(t.Out, rows...)
}

// Megabytes formats a number of bytes in megabytes, rounded up, so that only zero bytes are 0 MB.
func Megabytes(n int64) string { return words.Thousands(int((n+1<<20-1)>>20)) + " MB" }
