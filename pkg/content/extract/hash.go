package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// ContentHash names the indexable content (requirement A10), as "sha256:" and 64 hex digits. It
// covers this text in UTF-8, normalization form C:
//
//	title LF block LF block LF …
//
// In a block of code, lines keep their indentation; everywhere else runs of whitespace, line
// breaks included, are one space. Kinds and levels of blocks are not covered: what a page looks
// like may change without its content changing. The form belongs to the text component of
// lineage.Current, and so does everything that decides what becomes a block (B6).
func (d Document) ContentHash() string {
	text := make([]byte, 0, len(d.Title)+len(d.Text)+len(d.Blocks)+2)
	return digest(d.appendBody(append(append(text, Fold(d.Title)...), '\n')))
}

// BodyHash is a short name of the blocks alone, by which a page is known that has another title, or an
// earlier text again (H7, H8): the first eight bytes of the SHA-256 of what [Document.ContentHash] covers
// behind the title's line. It is remembered beside that hash, whose form is not touched.
func (d Document) BodyHash() [8]byte {
	sum := sha256.Sum256(norm.NFC.Bytes(d.appendBody(make([]byte, 0, len(d.Text)+len(d.Blocks)))))
	return [8]byte(sum[:8])
}

func (d Document) appendBody(text []byte) []byte {
	for _, b := range d.Blocks {
		if b.Kind == Code {
			text = append(text, b.Text...)
		} else {
			text = append(text, spaceLines(b.Text)...)
		}
		text = append(text, '\n')
	}
	return text
}

// TextHash names all visible text (A10), whitespace folded to single spaces, form C, written like
// [Document.ContentHash].
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
	return Fold(s)
}
