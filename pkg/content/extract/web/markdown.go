package web

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
)

// markdown parses CommonMark with tables, as most hosts do. It keeps HTML, because the result is only read and never
// shown. It keeps the boxes of task lists as text, because the state of a task is part of the content.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(goldhtml.WithUnsafe()),
)

// readMarkdown reads Markdown. A text that would take the parser too long is read as plain text.
func readMarkdown(p page) extract.Document {
	text, charset := decode(p.body, p.contentType, false)
	front, body := frontMatter(newlines.Replace(string(text)))
	doc, ok := rendered(p, body)
	if !ok {
		doc = plainText(body, p.limits.MaxBlocks)
		doc.Flat = true
	}
	doc.Title = extract.Title(front.title, doc.Title)
	doc.Metadata = front.metadata()
	doc.Charset = charset
	return doc
}

// rendered renders Markdown to HTML and extracts the document from the HTML. It returns ok = false if rendering
// fails. It recovers from a panic for the same reason as [structured].
func rendered(p page, text string) (doc extract.Document, ok bool) {
	defer func() {
		if recover() != nil {
			doc, ok = extract.Document{}, false
		}
	}()
	if !isCheap(text) {
		return extract.Document{}, false
	}
	out := bounded{most: 10*len(text) + 4096}
	if err := markdown.Convert([]byte(text), &out); err != nil {
		return extract.Document{}, false
	}
	return structured(p, out.buf.Bytes(), everything)
}

// everything returns all visible content: a Markdown document has nothing around its content.
func everything(s *maincontent.Survey) maincontent.Content {
	c := s.Everything()
	for i := range c.Blocks {
		c.Blocks[i].Anchor = "" // browsers show Markdown as it is written, so no browser can jump to an id
	}
	return c
}

// bounded is a buffer with a size limit. The limit is needed because an address that is defined once may be long, and
// may be written many times.
type bounded struct {
	buf  bytes.Buffer
	most int
}

// Write appends b, or fails when the buffer would exceed its limit.
func (w *bounded) Write(b []byte) (int, error) {
	if w.buf.Len()+len(b) > w.most {
		return 0, errors.New("too much HTML")
	}
	return w.buf.Write(b)
}

// Bounds on Markdown. The parser takes some microseconds for each block. Its time is quadratic in the depth of
// nesting, in the number of open brackets of a block, and in the size of a table. It recurses once for each level.
// Within these bounds, the slowest known text takes two seconds.
const (
	maxMarkdown      = 512 << 10   // bytes of the text
	maxLines         = 40_000      // lines of the text
	maxMarkers       = 30          // list and quote markers at the beginning of a line
	maxIndent        = 100         // bytes of whitespace and markers at the beginning of a line
	maxEmphasis      = 5_000       // emphasis characters in a block
	maxBracketCost   = 100_000_000 // brackets × bytes, summed over all blocks; about half a second
	maxCells         = 500_000     // rows × columns of a table
	blockBoundaryRun = "-*+#"      // characters that may begin a block without a blank line before it
)

// blockCost holds the counts for one block.
type blockCost struct{ bytes, brackets, emphasis, lines, pipes int }

// isCheap reports whether the parser needs a reasonable time for a text. It treats all text up to the next blank
// line, item or heading as one block. Real blocks are never longer.
func isCheap(text string) bool {
	if len(text) > maxMarkdown || strings.Count(text, "\n") > maxLines {
		return false
	}
	var block blockCost
	sum := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if beginsBlock(line) {
			sum += block.brackets * block.bytes
			block = blockCost{}
		}
		block.count(line)
		if isDeep(line) || block.emphasis > maxEmphasis || block.lines*block.pipes > maxCells ||
			sum+block.brackets*block.bytes > maxBracketCost {
			return false
		}
	}
	return true
}

func (c *blockCost) count(line string) {
	c.bytes += len(line)
	c.lines++
	c.brackets += strings.Count(line, "[")
	c.pipes = max(c.pipes, strings.Count(line, "|"))
	for _, mark := range []string{"*", "_", "~"} {
		c.emphasis += strings.Count(line, mark)
	}
}

// beginsBlock reports whether a line ends the paragraph before it. A line that is indented by four columns continues
// the paragraph.
func beginsBlock(line string) bool {
	text := strings.TrimLeft(line, " ")
	if strings.TrimSpace(text) == "" {
		return true
	}
	if len(line)-len(text) > 3 || len(text) < 3 || !strings.Contains(blockBoundaryRun, text[:1]) {
		return false
	}
	return text[1] == ' ' && text[2] != ' '
}

// isDeep reports whether a line begins with so many markers or blanks that it may nest deeply.
func isDeep(line string) bool {
	marks, end := 0, 0
	for end < len(line) && strings.IndexByte(" \t>-*+.)0123456789", line[end]) >= 0 {
		if strings.IndexByte(">-*+.)", line[end]) >= 0 {
			marks++
		}
		end++
	}
	return marks > maxMarkers || end > maxIndent
}

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
