package web

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// longestTitleLine is the greatest length, in bytes, of a first line that may be the title of a plain text.
const longestTitleLine = 120

// readText reads plain text.
func readText(p page) extract.Document {
	text, charset := decode(p.body, p.contentType, false)
	doc := plainText(string(text), p.limits.MaxBlocks)
	doc.Charset = charset
	return doc
}

// plainText makes a block of each run of lines without a blank line. If all lines are indented by four columns, the
// block is code; otherwise it is a paragraph. Blocks keep their line breaks, which the hashes ignore.
func plainText(text string, mostBlocks int) extract.Document {
	var doc extract.Document
	var run []string
	var rest extract.Rest
	end := func() {
		if len(run) > 0 && len(doc.Blocks) == mostBlocks {
			doc.Truncated, doc.Cut = true, extract.Only(mostBlocks, "paragraph")
			rest.Line(strings.Join(run, ""))
		} else if b := textBlock(run); b.Text != "" {
			doc.Blocks = append(doc.Blocks, b)
		}
		run = run[:0]
	}
	for line := range strings.SplitAfterSeq(newlines.Replace(text), "\n") {
		if strings.TrimSpace(line) == "" {
			end()
			continue
		}
		run = append(run, line)
	}
	end()
	doc.Beyond = rest.Sum()
	doc.Text, doc.VisibleText = extract.Join(doc.Blocks), joinLines(doc.Blocks)
	doc.Title = firstLine(doc.Text)
	return doc
}

// newlines converts all line ends, and page breaks, to "\n".
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n")

// textBlock makes a block of lines that belong together.
func textBlock(lines []string) extract.Block {
	code := len(lines) > 0
	for _, line := range lines {
		code = code && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"))
	}
	if code {
		return extract.Block{Kind: extract.Code, Text: blocks.TrimCode(strings.Join(lines, ""))}
	}
	var f dom.Folder
	for _, line := range lines {
		f.Write(line)
		f.Line()
	}
	return extract.Block{Kind: extract.Paragraph, Text: f.Peek()}
}

func joinLines(all []extract.Block) string {
	var f dom.Folder
	for _, b := range all {
		for line := range strings.SplitSeq(b.Text, "\n") {
			f.Write(line)
			f.Line()
		}
	}
	return f.Peek()
}

// firstLine returns the first line of a text if this line could be a title, or else "".
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > longestTitleLine {
		return ""
	}
	return dom.Fold(line)
}
