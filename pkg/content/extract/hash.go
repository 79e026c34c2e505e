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
func (d Document) ContentHash() string {
	content, _ := d.Hashes()
	return content
}

// Hashes returns two hashes of a page. The result content is the hash of the indexable content (A10), as "sha256:"
// and 64 hex digits. It covers this text in UTF-8, normalization form C:
//
//	title LF block LF block LF …
//
// In a block of code, lines keep their indentation. Elsewhere each run of whitespace, line breaks included, becomes
// one space, and text that changes by itself, such as a counter, is folded (H12). The hash does not cover the kinds
// and levels of blocks, because a page may change its looks without changing its content. A change to this form, or
// to what becomes a block, requires a new version of the text component of lineage.Current (B6).
//
// The result body is a short hash of the blocks alone. It serves to recognize that only the title of a page changed,
// or that the page returned to an earlier text (H7, H8). It is the first eight bytes of the SHA-256 of the text after
// the title's line.
func (d Document) Hashes() (content string, body [8]byte) {
	s := noise.Filter{Out: make([]byte, 0, len(d.Title)+len(d.Text)+len(d.Blocks)+2)}
	s.Block(dom.Fold(d.Title))
	s.Out = append(s.Out, '\n')
	title := len(s.Out)
	all := d.appendBody(s)
	sum := sha256.Sum256(norm.NFC.Bytes(all[title:]))
	return digest(all), [8]byte(sum[:8])
}

func (d Document) appendBody(s noise.Filter) []byte {
	s.Protected = d.Protected
	for _, b := range d.Blocks {
		if b.Kind == Code {
			s.Out = append(s.Out, b.Text...)
		} else {
			s.Block(b.Text)
		}
		s.Out = append(s.Out, '\n')
	}
	return s.Out
}

// TextHash returns the hash of all visible text (A10), with whitespace folded to single spaces, in form C. It is
// written like [Document.ContentHash].
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
