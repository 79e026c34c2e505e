package answer

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/search/passage"
)

// withCode adds to ranked passages the listings that those of them announce that are taken. A passage announces a
// listing if it ends with a colon and the listing follows. A listing of several chunks is added as a whole. What is
// added is ranked next to the passage that announces it, so [passage.Merge] joins the two.
func (a *Answers) withCode(ctx context.Context, ranked, taken []passage.Passage, known chunks) ([]passage.Passage,
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
		texts, err := a.Index.Texts(ctx, p.Page.ID, uids)
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
