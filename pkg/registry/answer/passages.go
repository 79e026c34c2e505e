package answer

import (
	"context"
	"strings"

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

// Choose chooses from the results of searches the passages that fit in a budget of tokens, best first. Listings that a
// passage announces come with it, and passages that follow each other on a page are joined. Records returns the chunks
// of a page; they may be newer than the results, and a chunk that is not among them has no position.
func Choose(ctx context.Context, ix search.Index, rankings [][]search.Result, tokens int,
	records func(page string) ([]chunk.Record, error)) ([]passage.Passage, error) {
	ranked := passage.Fuse(rankings...)
	taken := passage.Fit(ranked, tokens)
	known := chunks{}
	for _, p := range taken {
		if _, read := known[p.Page.ID]; read {
			continue
		}
		of, err := records(p.Page.ID)
		if err != nil {
			return nil, err
		}
		known[p.Page.ID] = of
	}
	ranked, err := withCode(ctx, ix, ranked, taken, known)
	if err != nil {
		return nil, err
	}
	return passage.Merge(passage.Fit(ranked, tokens), known.position), nil
}

// chunks are the chunks of pages, in order, by page.
type chunks map[string][]chunk.Record

// position returns the position of a chunk in its page.
func (c chunks) position(page, uid string) (passage.Position, bool) {
	for _, r := range c[page] {
		if string(r.ChunkUID) == uid {
			return passage.Position{Ordinal: r.DocID, Start: r.Start, End: r.End}, true
		}
	}
	return passage.Position{}, false
}

// withCode adds to ranked passages the listings that those of them announce that are taken. A passage announces a
// listing if it ends with a colon and the listing follows. A listing of several chunks is added as a whole. What is
// added is ranked next to the passage that announces it, so [passage.Merge] joins the two.
func withCode(ctx context.Context, ix search.Index, ranked, taken []passage.Passage, known chunks) ([]passage.Passage,
	error) {
	listings := map[string][]passage.Passage{} // by uid of the passage that announces them
	for _, p := range taken {
		code := known.codeAfter(p)
		if len(code) == 0 {
			continue
		}
		uids := make([]string, len(code))
		for i, r := range code {
			uids[i] = string(r.ChunkUID)
		}
		texts, err := ix.Texts(ctx, p.Page.ID, uids)
		if err != nil {
			return nil, err
		}
		for _, r := range code {
			if text := texts[string(r.ChunkUID)]; text != "" {
				listing := p
				listing.UID, listing.Text, listing.Anchor = string(r.ChunkUID), text, r.Anchor
				listings[p.UID] = append(listings[p.UID], listing)
			}
		}
	}
	if len(listings) == 0 {
		return ranked, nil
	}
	var out []passage.Passage
	seen := map[[2]string]bool{}
	for _, p := range ranked {
		for _, one := range append([]passage.Passage{p}, listings[p.UID]...) {
			if key := [2]string{one.Page.ID, one.UID}; !seen[key] {
				seen[key] = true
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// codeAfter returns the chunks of the listing that a passage announces.
func (c chunks) codeAfter(announcing passage.Passage) (code []chunk.Record) {
	text := strings.TrimSpace(announcing.Text)
	if !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "：") {
		return nil
	}
	records := c[announcing.Page.ID]
	for i, r := range records {
		if string(r.ChunkUID) != announcing.UID {
			continue
		}
		for _, next := range records[i+1:] {
			if next.Kind != chunk.Code || next.Segment == nil || next.Heading != r.Heading || next.Zone != r.Zone ||
				len(code) > 0 && next.Segment.SegmentUID != code[0].Segment.SegmentUID {
				break
			}
			code = append(code, next)
		}
	}
	return code
}
