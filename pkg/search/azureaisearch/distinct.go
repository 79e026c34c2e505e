package azureaisearch

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// maxCompared limits the number of pages that one search compares, and so the number of its requests. A site may give
// the same canonical address for all of its pages.
const maxCompared = 5 * idsPerFilter

// distinct keeps one of the pages that form one result ([search.Page.Group]), and removes the others. Chunks have the
// group, but only the page's own document has the digest of the content. If chunks had the digest, a change to one
// chunk would rewrite all others. Therefore distinct requests the page documents if two of the pages have the same
// group.
func (ix *Index) distinct(ctx context.Context, pages []group) ([]group, error) {
	ids := sharing(pages)
	if len(ids) == 0 {
		return pages, nil
	}
	documents, err := ix.service.pageDocuments(ctx, ids[:min(len(ids), maxCompared)])
	if err != nil {
		return nil, err
	}
	type result struct{ group, content string }
	shown := map[result]row{}
	for _, d := range documents {
		r := result{d.Group, d.Content}
		best, other := shown[r]
		if !other ||
			cmp.Or(strings.Compare(d.Rank, best.Rank), strings.Compare(d.ParentPageID, best.ParentPageID)) < 0 {
			shown[r] = d
		}
	}
	return slices.DeleteFunc(pages, func(g group) bool {
		d, compared := documents[g.page]
		return compared && d.Group != "" && shown[result{d.Group, d.Content}].ParentPageID != g.page
	}), nil
}

// sharing returns the ids of the pages that share their group with another page.
func sharing(pages []group) (ids []string) {
	members := map[string]int{}
	for _, g := range pages {
		members[g.hits[0].Group]++
	}
	for _, g := range pages {
		if name := g.hits[0].Group; name != "" && members[name] > 1 {
			ids = append(ids, g.page)
		}
	}
	return ids
}

// pageDocuments returns the documents of pages, by page.
func (s *service) pageDocuments(ctx context.Context, ids []string) (map[string]row, error) {
	documents := map[string]row{}
	for part := range slices.Chunk(ids, idsPerFilter) {
		err := s.each(ctx, "kind eq 'page' and "+in("parentPageId", part), "id,parentPageId,group,rank,content",
			func(d row) { documents[d.ParentPageID] = d })
		if err != nil {
			return nil, err
		}
	}
	return documents, nil
}
