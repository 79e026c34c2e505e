package extract

import (
	"encoding/binary"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// Rest summarizes the text beyond a bound, so that a change of this text is noticed although it is not read. Rest
// uses constant memory. The zero value is ready to use.
type Rest struct {
	hash   *xxhash.Digest
	filter noise.Filter
}

// longestFiltered is the number of bytes at the beginning of a line in which text that changes by itself is looked for.
// No line of prose is longer. Of a longer one, which is data, each change after that is noticed.
const longestFiltered = 64 << 10

// Line adds a line or a block of text. Whitespace, and text that changes by itself, are folded as in
// [Document.Hashes]. A text that has nothing else is ignored.
func (r *Rest) Line(text string) {
	if text = dom.Fold(text); text == "" {
		return
	}
	if r.hash == nil {
		r.hash = xxhash.New()
	}
	tail := ""
	if len(text) > longestFiltered {
		end := longestFiltered
		if at := strings.LastIndexByte(text[:end], ' '); at > 0 {
			end = at
		}
		text, tail = text[:end], text[end:]
	}
	r.filter.Out = r.filter.Out[:0]
	r.filter.Block(text)
	_, _ = r.hash.Write(append(norm.NFC.Bytes(r.filter.Out), '\n')) // never fails
	if tail != "" {
		_, _ = r.hash.Write(append(norm.NFC.Bytes([]byte(tail)), '\n'))
	}
}

// Sum returns the summary of the lines so far. It is zero if there are none.
func (r *Rest) Sum() (sum Beyond) {
	if r.hash != nil {
		binary.BigEndian.PutUint64(sum[:], r.hash.Sum64()|1) // never zero
	}
	return sum
}

// CutWhy describes for people what is not read of the document, what follows from that, and what to do; empty if all of
// it is read.
func (d Document) CutWhy() string {
	var out []string
	switch {
	case d.Cut == "":
	case d.Beyond == (Beyond{}):
		out = append(out, d.Cut+"; the rest is neither searched nor watched: split the document to change this")
	default:
		out = append(out, d.Cut+"; the rest is watched but cannot be searched: split the document to search it")
	}
	if d.Flat {
		out = append(out, "the page has too many elements, or too deep ones: its text is read with its menus, and without "+
			"headings, links and images; select a part of the page, or split it, to change this")
	}
	if d.KeptLinks > 0 {
		out = append(out, "only the first "+words.Count(d.KeptLinks, "link")+" are kept: add a sitemap, or the pages "+
			"themselves, to find what the others lead to")
	}
	if d.KeptImages > 0 {
		out = append(out, "only the first "+words.Count(d.KeptImages, "image")+" are kept: split the document to find the "+
			"others")
	}
	return strings.Join(out, ". Also, ")
}

// Beyond is the summary of the text beyond a bound. [Rest] makes it. It is zero if no such text is known.
type Beyond [8]byte

func beyondOf(text []byte) (b Beyond) {
	binary.BigEndian.PutUint64(b[:], xxhash.Sum64(text)|1)
	return b
}

// And returns the summary of two parts of a text.
func (b Beyond) And(next Beyond) Beyond {
	switch (Beyond{}) {
	case b:
		return next
	case next:
		return b
	}
	return beyondOf(append(b[:], next[:]...))
}
