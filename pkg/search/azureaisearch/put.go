package azureaisearch

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Put replaces the documents of these pages in the index with exactly the given contents. It writes everything new
// before it deletes anything, so a page stays searchable all the time. If Put fails, some of the pages may have been
// written. Repeating the same Put completes them. If the service refuses a page, the error is Invalid and names the
// page.
func (ix *Index) Put(ctx context.Context, pages ...search.Page) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Put")
	var unknown []string
	for _, p := range pages {
		if err := ix.check(p); err != nil {
			return err
		}
		if p.Known == nil {
			unknown = append(unknown, p.ID)
		}
	}
	found, err := ix.service.keys(ctx, unknown)
	if err != nil {
		return err
	}
	var written, leaving []action
	for i, p := range pages {
		if comesAgain(pages[i+1:], p.ID) {
			continue // the service applies two actions on one document in an arbitrary order
		}
		w, l := ix.difference(p, found[p.ID])
		written, leaving = append(written, w...), append(leaving, l...)
	}
	if err := ix.service.apply(ctx, written); err != nil {
		return err
	}
	return ix.service.apply(ctx, leaving)
}

func comesAgain(pages []search.Page, id string) bool {
	return slices.ContainsFunc(pages, func(p search.Page) bool { return p.ID == id })
}

// check returns an error for a page that the port refuses. If the length of the page's vectors differs from that of
// the index's vectors, the error is Internal, because the settings are wrong and not the page.
func (ix *Index) check(p search.Page) error {
	if err := p.Check(); err != nil {
		return err
	}
	for _, c := range p.Chunks {
		if c.Vector != nil && ix.dimensions > 0 && !ix.isVector(c.Vector) {
			return fault.New(fault.Internal,
				"page %s has a vector of %d dimensions, or with no number in it, for an index of %d", p.ID, len(c.Vector),
				ix.dimensions)
		}
	}
	return nil
}

// isVector reports whether v can be stored in the index or compared with its vectors.
func (ix *Index) isVector(v []float32) bool {
	return len(v) == ix.dimensions && ix.dimensions > 0 &&
		!slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
}

// Remove removes a page. It deletes the page's own document last, so that an interrupted Remove can be detected.
// Repeating the call is harmless.
func (ix *Index) Remove(ctx context.Context, id string, known *search.Contents) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Remove(%s)", id)
	if !search.IsKey(id) {
		return nil // no page has such an id
	}
	var found map[string][]string
	if known == nil {
		if found, err = ix.service.keys(ctx, []string{id}); err != nil {
			return err
		}
	}
	leaving := deletions(id, keysOf(id, known, found[id]), map[string]bool{pageKey(id): true})
	return ix.service.apply(ctx, append(leaving, action{kind: "delete", page: id, document: object{"id": pageKey(id)}}))
}

// keys returns the keys of the visible documents of pages, by page.
func (s *service) keys(ctx context.Context, pages []string) (map[string][]string, error) {
	found := map[string][]string{}
	for len(pages) > 0 {
		n := min(len(pages), idsPerFilter)
		filter := in("parentPageId", pages[:n])
		err := s.each(ctx, filter, "id,parentPageId",
			func(d row) { found[d.ParentPageID] = append(found[d.ParentPageID], d.ID) })
		if err != nil {
			return nil, err
		}
		pages = pages[n:]
	}
	return found, nil
}
