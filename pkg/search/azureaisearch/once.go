package azureaisearch

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// maxCompared bounds the pages of one search that are compared, and so its requests: a site may name one
// address as the canonical one of all its pages.
const maxCompared = 5 * idsPerFilter

// once leaves one page of those that are one result ([search.Page.Group]). Chunks tell the group; the
// content is told by the page's own document, for chunks are not written when others of the page
// change. So it takes a request, but only where two pages of one group were found.
func (ix *Index) once(ctx context.Context, pages []group) ([]group, error) {
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

// sharing are the pages whose group another page has, too.
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

// pageDocuments are the documents of pages, by page.
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
