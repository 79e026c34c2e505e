package azureaisearch

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// passage is the passage of a chunk, and the title in this chunk.
type passage struct {
	search.Passage
	title string
}

// maxFragments is the maximum number of sentences of a field that are highlighted. It is written as a suffix of the
// field's name, as the service expects.
const maxFragments = "-20"

// passages fetches the chunks that are shown, by key, with their highlights. Chunks that only the vector found
// contain no searched words, so they are fetched without highlights.
func (s searcher) passages(ctx context.Context, groups []group) (map[string]passage, error) {
	var keys, languages []string
	for _, g := range groups {
		for _, h := range shownOf(g) {
			keys, languages = append(keys, h.ID), append(languages, h.Language)
		}
	}
	found := map[string]passage{}
	if s.expression != "" {
		q := query{
			Search: s.expression, SearchFields: searchFields(s.query.Language), Highlight: highlighted(languages),
			HighlightPreTag: "<" + s.ix.tag + ">", HighlightPostTag: "</" + s.ix.tag + ">",
		}
		if err := s.fetch(ctx, q, keys, found); err != nil {
			return nil, err
		}
	}
	if s.hybrid {
		keys = slices.DeleteFunc(keys, func(key string) bool { _, there := found[key]; return there })
		return found, s.fetch(ctx, query{Search: "*"}, keys, found)
	}
	return found, nil
}

func (s searcher) fetch(ctx context.Context, q query, keys []string, found map[string]passage) error {
	q.Select, q.Top = "id,uid,anchor,zone,title,heading,text", maxRows
	for part := range slices.Chunk(keys, idsPerFilter) {
		q.Filter = in("id", part)
		for {
			answer, err := s.ix.service.query(ctx, q)
			if err != nil {
				return err
			}
			for _, d := range answer.Value {
				found[d.ID] = s.ix.passage(d, s.query.Whole)
			}
			if q.Skip += len(answer.Value); answer.Next == "" || len(answer.Value) == 0 {
				break
			}
		}
		q.Skip = 0
	}
	return nil
}

// highlighted returns the fields in which matches are highlighted: the text, and its copy for each language.
func highlighted(languages []string) string {
	fields := "text" + maxFragments
	slices.Sort(languages)
	for _, l := range slices.Compact(languages) {
		if stems := stemFieldOf(l); stems != "" && !strings.Contains(fields, stems) {
			fields += "," + stems + maxFragments
		}
	}
	return fields
}

func (ix *Index) passage(d row, whole bool) passage {
	var ranges []search.Range
	for _, fragments := range d.Highlights {
		for _, f := range fragments {
			ranges = append(ranges, ix.locate(f, d.Text)...)
		}
	}
	p := search.Passage{ChunkUID: d.UID, Heading: d.Heading, Anchor: d.Anchor, Zone: d.Zone}
	if p.Text, p.Highlights = d.Text, joined(ranges); !whole {
		p.Text, p.Highlights = search.Excerpt(p.Text, p.Highlights)
	}
	return passage{p, d.Title}
}

// locate finds a highlighted fragment in a text, and returns the ranges of its highlights in that text. If the
// fragment is from another text, such as the title, locate returns no ranges.
func (ix *Index) locate(fragment, text string) (ranges []search.Range) {
	open, end := "<"+ix.tag+">", "</"+ix.tag+">"
	at := strings.Index(text, strings.NewReplacer(open, "", end, "").Replace(fragment))
	if at < 0 {
		return nil
	}
	for {
		before, rest, found := strings.Cut(fragment, open)
		inside, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			return ranges
		}
		at += len(before)
		if inside != "" {
			ranges = append(ranges, search.Range{From: at, To: at + len(inside)})
		}
		at += len(inside)
		fragment = after
	}
}

// joined sorts ranges and joins those that touch or overlap. Ranges touch in scripts without spaces, where each
// character is a word; they overlap when two fields highlight the same word.
func joined(ranges []search.Range) (out []search.Range) {
	slices.SortFunc(ranges, func(a, b search.Range) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for _, r := range ranges {
		if n := len(out); n > 0 && r.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}
