package mail

import (
	"bytes"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// span is a range of bytes in a mail; the byte at to is not included.
type span struct{ from, to int }

// shorten bounds the header that begins at the given position. It subtracts the length of the header from the number
// of header bytes that may still be read. It skips the bytes of the header beyond that number, but never the first
// keep bytes. The bound exists because the parser needs more than a microsecond for each byte of a header.
func (p *parser) shorten(from, keep int) {
	end := headerEnd(p.body[from:p.end]) + from
	if end-from <= p.header {
		p.header -= end - from
		return
	}
	if cut := from + max(p.header, keep); cut < end {
		p.skip = append(p.skip, span{cut, end})
		p.left = append(p.left, left{onlyHeaders, p.body[cut:end]})
		slices.SortFunc(p.skip, func(a, b span) int { return a.from - b.from })
	}
	p.header = 0
}

// onlyHeaders says that the headers of a mail are longer than what is read of them.
var onlyHeaders = "only the first " + words.Count(maxHeader, "byte") + " of headers are read"

// headerEnd returns the end of the last line of a header, before the empty line, or the end of b.
func headerEnd(b []byte) int {
	if bytes.HasPrefix(b, []byte("\n")) || bytes.HasPrefix(b, []byte("\r\n")) {
		return 0
	}
	end := len(b)
	for _, empty := range []string{"\n\n", "\n\r\n"} {
		if i := bytes.Index(b[:end], []byte(empty)); i >= 0 {
			end = i
		}
	}
	return end
}

// next moves past a skipped range that begins at the current position, and returns the end of the range to read.
func (p *parser) next() int {
	for _, s := range p.skip {
		if p.at < s.from {
			return min(s.from, p.end)
		}
		p.at = max(p.at, s.to)
	}
	return p.end
}
