package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// ContentHash returns the hash of the indexable content (requirement A10); see [Document.Hashes].
func (d Document) ContentHash() string { return d.Hashes().Content }

// Hashes are the hashes that distinguish a change of content from other changes.
type Hashes struct {
	// Content is the hash of the indexable content (A10), as "sha256:" and 64 hex digits. It covers this text in
	// UTF-8, normalization form C:
	//
	//	title LF block LF block LF …
	//
	// and, if the text was cut, a last line with [Document.Beyond].
	//
	// In a block of code, lines keep their indentation. Elsewhere each run of whitespace, line breaks included,
	// becomes one space, and text that changes by itself, such as a counter, is folded (H12). The hash does not cover
	// the kinds, levels and zones of blocks, nor the numbers that browsers count, because a page may change its looks
	// without changing its content. A change of this form, or of the rules for blocks, requires a new version of the
	// text component of lineage.Current (B6).
	Content string
	// Body is a short hash of the blocks alone. It recognizes a page whose title changed, or a page that has an
	// earlier text again (H7, H8). It is the first eight bytes of the SHA-256 of the text after the title's line.
	Body [8]byte
	// Main is like Body, but covers only the blocks of the main content. When Body changes and Main does not, the
	// change is beside the main content.
	Main [8]byte
}

// Hashes returns the hashes of a page.
func (d Document) Hashes() Hashes { return d.hashes(nil) }

// hashes returns the hashes. It calls the function folded, if it is not nil, for each line in which something is left
// out, with the rule.
func (d Document) hashes(folded func(line, rule string)) Hashes {
	s := d.filter()
	s.Folded = folded
	s.Out = make([]byte, 0, len(d.Title)+len(d.Text)+len(d.Blocks)+2)
	s.Block(dom.Fold(d.Title))
	s.Out = append(s.Out, '\n')
	title := len(s.Out)
	s.Protected = d.Protected
	main := MainBlocks(d.Blocks)
	appendBlocks(&s, main)
	s.OrderDates()
	h := Hashes{Main: short(s.Out[title:])}
	appendBlocks(&s, d.Blocks[len(main):])
	s.OrderDates()
	h.Body = short(s.Out[title:])
	if d.Beyond != (Beyond{}) {
		s.Out = append(hex.AppendEncode(append(s.Out, "beyond "...), d.Beyond[:]), '\n')
	}
	h.Content = digest(s.Out)
	return h
}

func short(text []byte) [8]byte {
	sum := sha256.Sum256(norm.NFC.Bytes(text))
	return [8]byte(sum[:8])
}

// appendBlocks appends the hashed form of the blocks of a zone.
func appendBlocks(s *noise.Filter, blocks []Block) {
	s.Section()
	for i := 0; i < len(blocks); i++ {
		if n := countdown(s, blocks[i:]); n > 0 {
			i += n - 1
			continue
		}
		appendBlock(s, blocks[i])
	}
}

// countdown appends the hashed form of a countdown in several blocks, and returns their number. It is 0 if the next
// blocks are not a countdown.
func countdown(s *noise.Filter, blocks []Block) int {
	text := func(i int) string {
		if i >= len(blocks) || blocks[i].Kind != Paragraph && blocks[i].Kind != Heading {
			return ""
		}
		return blocks[i].Text
	}
	const mostDigits = 40 // bytes of the first block with numbers
	if next := text(1); next == "" || len(next) > mostDigits || next[0] < '0' || next[0] > '9' {
		return 0
	}
	n := s.Countdown(text)
	if n > 0 {
		s.Out = append(s.Out, '\n')
	}
	return n
}

// TextHash returns the hash of all visible text (A10) in form C, with each run of whitespace folded to one space. The
// hash is written like [Document.ContentHash].
func (d Document) TextHash() string { return digest([]byte(spaceLines(d.VisibleText))) }

func digest(text []byte) string {
	sum := sha256.Sum256(norm.NFC.Bytes(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// spaceLines puts folded text on one line, without the indentation of nested lists.
func spaceLines(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	return dom.Fold(s)
}
