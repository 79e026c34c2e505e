package entry

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// clean returns a text in the form in which texts are compared and shown: one kind of line end, no invisible
// characters, single spaces within lines, single blank lines between paragraphs, composed characters (NFC). Cleaning
// a clean text again changes nothing.
func clean(text string) string {
	lines := strings.Split(lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd")), "\n")
	// An invisible character can stand between a letter and its accent, so characters are composed last.
	return norm.NFC.String(layout(lines, func(string) bool { return true }))
}

// lineEnds replaces every kind of line end, including page breaks and Unicode's separators, by a newline.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n\n",
	"\u0085", "\n")

// layout joins those lines for which the given function returns true. It folds each line, and leaves at most one
// blank line between two lines.
func layout(lines []string, keep func(line string) bool) string {
	var b strings.Builder
	blank := false
	for _, line := range lines {
		line = dom.Fold(line)
		if line == "" || !keep(line) {
			blank = blank || line == ""
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank {
				b.WriteByte('\n')
			}
		}
		blank = false
		b.WriteString(line)
	}
	return b.String()
}

// cleanPage is like clean, but also removes what surrounds the content of a page: lines without a letter or digit,
// lines that repeat the line before them, and lines that consist of a control of the page.
func cleanPage(text string) string {
	last := ""
	return layout(strings.Split(clean(text), "\n"), func(line string) bool {
		if line == last || countWords(line) == 0 || chrome[strings.Trim(strings.ToLower(line), " .!:›»→…")] {
			return false
		}
		last = line
		return true
	})
}

// chrome contains lines that belong to a page's controls, not to its text.
var chrome = map[string]bool{}

func init() {
	for line := range strings.SplitSeq("accept|accept all|accept all cookies|accept cookies|reject all|manage "+
		"cookies|cookie settings|"+
		"we use cookies|skip to content|skip to main content|skip to navigation|advertisement|advertising|sponsored|"+
		"share|share this|share this article|share on facebook|share on twitter|share on x|share on linkedin|tweet|copy "+
		"link|print|"+
		"sign in|log in|sign up|subscribe|subscribe now|menu|search|close|back to top|home|"+
		"alle akzeptieren|anzeige|zum inhalt springen|teilen|drucken|anmelden", "|") {
		chrome[line] = true
	}
}
