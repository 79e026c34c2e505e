package extract

import (
	"regexp"
	"strings"
)

// Markdown writes blocks as GitHub Flavored Markdown, including the syntax of headings and code. It escapes the
// beginning of a paragraph that only looks like Markdown syntax.
func Markdown(blocks []Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		switch b.Kind {
		case Heading:
			texts[i] = strings.Repeat("#", min(max(b.Level, 1), 6)) + " " + strings.ReplaceAll(b.Text, "\n", " ")
		case Code:
			fence := "```"
			for strings.Contains(b.Text, fence) {
				fence += "`"
			}
			texts[i] = fence + b.Language + "\n" + b.Text + "\n" + fence
		case Quote:
			texts[i] = "> " + strings.ReplaceAll(b.Text, "\n", "\n> ")
		case Paragraph:
			texts[i] = looksMarked.ReplaceAllString(b.Text, `$1\$2`)
		default:
			texts[i] = b.Text
		}
	}
	return strings.Join(texts, Separator)
}

// looksMarked matches the beginning of a line that looks like a heading, a quotation or a fence of Markdown.
var looksMarked = regexp.MustCompile("(?m)^( {0,3})(#|>|```|~~~)")
