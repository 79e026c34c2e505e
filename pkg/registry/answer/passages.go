package answer

import (
	"context"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/passage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Cited is a passage with what is known of its page.
type Cited struct {
	passage.Passage
	Sighting
	// Capture has what the index knows of the page; zero where that is not certain, and for entries.
	Capture snapshot.Capture
}

// Passages are what several queries found, within a budget of tokens.
type Passages struct {
	Found
	Passages []Cited // the best first, each text once; those that follow each other on a page are joined
	Tokens   int
}

// Passages answers queries by whole passages, up to so many tokens.
func (a *Answers) Passages(ctx context.Context, f Freshness, queries []search.Query, tokens int) (out Passages,
	err error) {
	if out.Found, err = a.Fresh(ctx, f, queries); err != nil {
		return out, err
	}
	rankings := make([][]search.Result, len(out.Results))
	for i, r := range out.Results {
		rankings[i] = r.Results
	}
	taken := passage.Fit(passage.Fuse(rankings...), tokens)
	places, err := a.positionsOf(ctx, taken, out.Seen)
	if err != nil {
		return out, err
	}
	taken = passage.Merge(taken, func(page, uid string) (passage.Position, bool) {
		at, ok := places[[2]string{page, uid}]
		return at, ok
	})
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

// positionsOf are where the chunks of pages stand, by page and uid. What the index was given of a page may be another
// than what was found; then nothing is known of that.
func (a *Answers) positionsOf(ctx context.Context, taken []passage.Passage, seen map[string]Sighting) (
	map[[2]string]passage.Position, error) {
	places, read := map[[2]string]passage.Position{}, map[string]bool{}
	for _, p := range taken {
		it := seen[p.Page.ID].Item
		if it.Manifest == "" || read[p.Page.ID] {
			continue
		}
		read[p.Page.ID] = true
		records, err := a.Chunks.Records(ctx, it.ID, it.Manifest)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			places[[2]string{p.Page.ID, string(r.ChunkUID)}] = passage.Position{Ordinal: r.DocID, Start: r.Start, End: r.End}
		}
	}
	return places, nil
}
