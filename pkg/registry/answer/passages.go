package answer

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/passage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Cited is a passage with the sighting of its page and the capture that it comes from.
type Cited struct {
	passage.Passage
	Sighting
	// Capture is the capture whose content is in the index. It is zero for an entry, and when it is uncertain which
	// capture that is.
	Capture snapshot.Capture
}

// Passages are the passages that several queries found, within a budget of tokens.
type Passages struct {
	Found
	Passages []Cited // best first, without duplicate texts; adjacent passages of a page are joined
	Tokens   int
}

// Passages answers queries with whole passages. The passages have at most the given number of tokens in total.
func (a *Answers) Passages(ctx context.Context, f Freshness, queries []search.Query, tokens int) (out Passages,
	err error) {
	if out.Found, err = a.Fresh(ctx, f, queries); err != nil {
		return out, err
	}
	rankings := make([][]search.Result, len(out.Results))
	for i, r := range out.Results {
		rankings[i] = r.Results
	}
	taken, err := Choose(ctx, a.Index, rankings, tokens, func(page string) ([]chunk.Record, error) {
		it := out.Seen[page].Item
		if it.Manifest == "" {
			return nil, nil
		}
		return a.Chunks.Records(ctx, it.ID, it.Manifest)
	})
	if err != nil {
		return out, err
	}
	captured := map[string]snapshot.Capture{}
	for _, p := range taken {
		seen := out.Seen[p.Page.ID]
		if _, known := captured[p.Page.ID]; !known {
			if captured[p.Page.ID], err = a.History.Indexed(ctx, seen.Item); err != nil {
				return out, err
			}
		}
		out.Tokens += p.Tokens()
		out.Passages = append(out.Passages, Cited{p, seen, captured[p.Page.ID]})
	}
	return out, nil
}

// Choose chooses from the results of searches the passages that fit in a budget of tokens, best first. A passage is a
// whole unit: the chunk that was found, and those that belong with it ([chunk.Record.Joined]). Passages that follow
// each other on a page are joined. Records returns the chunks of a page. They may be newer than the results; a chunk
// that is not among them stands alone.
func Choose(ctx context.Context, ix search.Index, rankings [][]search.Result, tokens int,
	records func(page string) ([]chunk.Record, error)) ([]passage.Passage, error) {
	ranked := passage.Fuse(rankings...)
	known := chunks{}
	for _, p := range passage.Fit(ranked, tokens) {
		if _, read := known[p.Page.ID]; read {
			continue
		}
		of, err := records(p.Page.ID)
		if err != nil {
			return nil, err
		}
		known[p.Page.ID] = of
	}
	ranked, err := known.whole(ctx, ix, ranked)
	if err != nil {
		return nil, err
	}
	return passage.Merge(passage.Fit(ranked, tokens), known.position), nil
}

// chunks are the chunks of pages, in order, by page.
type chunks map[string][]chunk.Record

// position returns the position of a passage in its page.
func (c chunks) position(p passage.Passage) (passage.Position, bool) {
	all := c[p.Page.ID]
	i := indexOf(all, p.UIDs[0])
	if i < 0 {
		return passage.Position{}, false
	}
	last := all[i+len(p.UIDs)-1]
	return passage.Position{First: all[i].DocID, Last: last.DocID, Start: all[i].Start, End: last.End}, true
}

func indexOf(all []chunk.Record, uid string) int {
	return slices.IndexFunc(all, func(r chunk.Record) bool { return string(r.ChunkUID) == uid })
}

// unitOf returns the chunks of the unit to which a chunk belongs; none if the chunk is not known.
func (c chunks) unitOf(page, uid string) []chunk.Record {
	all := c[page]
	from := indexOf(all, uid)
	if from < 0 {
		return nil
	}
	to := from + 1
	for from > 0 && all[from].Joined {
		from--
	}
	for to < len(all) && all[to].Joined {
		to++
	}
	return all[from:to]
}

// whole replaces ranked chunks by their units. A unit has the rank of the best of its chunks.
func (c chunks) whole(ctx context.Context, ix search.Index, ranked []passage.Passage) (out []passage.Passage,
	err error) {
	units := make([][]chunk.Record, len(ranked))
	wanted := map[string][]string{} // uids of chunks whose texts are needed, by page
	for i, p := range ranked {
		if units[i] = c.unitOf(p.Page.ID, p.UIDs[0]); len(units[i]) > 1 {
			for _, r := range units[i] {
				wanted[p.Page.ID] = append(wanted[p.Page.ID], string(r.ChunkUID))
			}
		}
	}
	texts := map[string]map[string]string{}
	for page, uids := range wanted {
		slices.Sort(uids)
		if texts[page], err = ix.Texts(ctx, page, slices.Compact(uids)); err != nil {
			return nil, err
		}
	}
	seen := map[[2]string]bool{}
	for i, p := range ranked {
		p = united(p, units[i], texts[p.Page.ID])
		if key := [2]string{p.Page.ID, p.UIDs[0]}; !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out, nil
}

// united returns the passage of a unit, of which p is one chunk. If the index lacks one of its texts, p stays alone.
func united(p passage.Passage, unit []chunk.Record, texts map[string]string) passage.Passage {
	whole, before := p, passage.Passage{}
	for i, r := range unit {
		text := texts[string(r.ChunkUID)]
		if text == "" {
			return p
		}
		next := passage.Passage{UIDs: []string{string(r.ChunkUID)}, Heading: chunk.HeadingPath(r.Heading), Anchor: r.Anchor,
			Text: text}
		if i == 0 {
			whole.UIDs, whole.Heading, whole.Anchor, whole.Text = next.UIDs, next.Heading, next.Anchor, next.Text
		} else {
			whole.Append(before, next)
		}
		before = next
	}
	return whole
}
