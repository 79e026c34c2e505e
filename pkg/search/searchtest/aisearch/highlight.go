package aisearch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// highlighting is a field whose matches are highlighted, and the maximum number of fragments. The number is five, or
// follows the field's name.
type highlighting struct {
	field string
	most  int
}

func (d *definition) highlighting(name string) (h highlighting, err error) {
	h = highlighting{name, 5}
	if head, number, found := strings.Cut(name, "-"); found {
		h.field = head
		if h.most, err = strconv.Atoi(number); err != nil || h.most < 1 {
			return h, refuse("highlight %q", name)
		}
	}
	if f := d.field(h.field); f == nil || !f.Searchable || f.Type == vectorType {
		return h, refuse("highlight %q: not searchable", name)
	}
	return h, nil
}

// highlights returns the sentences of a field that contain a match, with each matching word between tags
// (https://learn.microsoft.com/azure/search/search-pagination-page-layout#hit-highlighting).
func (ix *index) highlights(h hit, name string, most int, q searchRequest, m *matches) (fragments []string) {
	pre, post := cmp.Or(q.HighlightPreTag, "<em>"), cmp.Or(q.HighlightPostTag, "</em>")
	marked := m.marked(h, name)
	for i, value := range h.doc.values[name] {
		var within []token
		for _, t := range marked {
			if t.position/gap == i {
				within = append(within, t)
			}
		}
		fragments = append(fragments, sentences(value, within, pre, post)...)
	}
	return fragments[:min(most, len(fragments))]
}

// marked returns the tokens of a field that are part of a match, in order.
func (m *matches) marked(h hit, field string) []token {
	tokens := h.doc.tokens[field]
	set := map[int]bool{}
	for _, l := range m.leafs {
		if l.field != field {
			continue
		}
		for _, s := range l.spans[h.key] {
			for i := s.first; i <= s.last; i++ {
				set[i] = true
			}
		}
	}
	var marked []token
	for i, t := range tokens {
		if set[i] {
			marked = append(marked, t)
		}
	}
	return marked
}

// sentences returns the sentences that contain one of the tokens. Tokens may overlap if filters inserted or removed
// text. Each byte is highlighted once.
func sentences(text string, tokens []token, pre, post string) (fragments []string) {
	for from := 0; from < len(text); {
		to := len(text)
		if end := strings.IndexAny(text[from:], ".!?\n"); end >= 0 {
			to = from + end + 1
		}
		within := func(t token) bool { return t.from >= from && t.from < to }
		var out strings.Builder
		at := from
		for _, t := range tokens {
			if within(t) && t.from >= at {
				out.WriteString(text[at:t.from] + pre + text[t.from:t.to] + post)
				at = t.to
			}
		}
		to = max(to, at)
		if slices.ContainsFunc(tokens, within) {
			fragments = append(fragments, out.String()+text[at:to])
		}
		from = to
	}
	return fragments
}
