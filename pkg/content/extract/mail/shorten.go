package mail

import (
	"bytes"
	"slices"
)

// span is a part of a mail's bytes, up to and without to.
type span struct{ from, to int }

// shorten counts the header that begins at from against the bytes that headers may have. What exceeds them,
// after the first keep bytes, is skipped: the parser takes more than a microsecond for each byte of a header.
func (p *parser) shorten(from, keep int) {
	end := headerEnd(p.body[from:p.end]) + from
	if end-from <= p.header {
		p.header -= end - from
		return
	}
	if cut := from + max(p.header, keep); cut < end {
		p.skip = append(p.skip, span{cut, end})
		slices.SortFunc(p.skip, func(a, b span) int { return a.from - b.from })
	}
	p.header, p.cut = 0, true
}

// headerEnd is where the last line of a header ends, in front of an empty one, or the end.
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

// next steps over what is skipped, and gives the end of what may be read then.
func (p *parser) next() int {
	for _, s := range p.skip {
		if p.at < s.from {
			return min(s.from, p.end)
		}
		p.at = max(p.at, s.to)
	}
	return p.end
}
