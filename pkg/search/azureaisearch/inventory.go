package azureaisearch

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

var _ search.Inventory = (*Index)(nil)

// Inspect returns the contents of the index for a page, as searches can see them. Writes of the last seconds may not
// be visible yet. Errors: NotFound when nothing is visible.
func (ix *Index) Inspect(ctx context.Context, id string) (stored search.Stored, err error) {
	defer fault.Wrap(&err, "azureaisearch.Inspect(%s)", id)
	stored = search.Stored{Chunks: map[string]string{}, Images: map[string]bool{}}
	found := false
	if search.IsKey(id) {
		err = ix.service.each(ctx, in("parentPageId", []string{id}), "id,kind,uid,tags", func(d row) {
			found = true
			switch d.Kind {
			case "page":
				stored.Tags = append([]string(nil), d.Tags...)
			case "chunk":
				stored.Chunks[d.ID[len(chunkKey(id, "")):]] = d.UID
			case "image":
				stored.Images[d.ID[len(imageKey(id, "")):]] = true
			}
		})
	}
	if err == nil && !found {
		err = fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	return stored, err
}

// IDs returns page ids in ascending order, starting after the given id. It returns at most top ids. IDs reads all
// documents of the pages, a thousand at a time, because it includes pages of which only parts are left.
func (ix *Index) IDs(ctx context.Context, after string, top int) (ids []string, err error) {
	defer fault.Wrap(&err, "azureaisearch.IDs")
	for len(ids) < top {
		q := query{Search: "*", Filter: "parentPageId gt '" + quotedOData(after) + "'", OrderBy: "parentPageId asc",
			Select: "parentPageId", Top: maxRows}
		found, err := ix.service.query(ctx, q)
		if err != nil || len(found.Value) == 0 {
			return ids, err
		}
		for _, d := range found.Value {
			if d.ParentPageID != after && len(ids) < top {
				after = d.ParentPageID
				ids = append(ids, after)
			}
		}
	}
	return ids, nil
}

// Texts returns the texts of chunks of a page, by their uids. It reads all chunks of the page, because uids are not
// filterable.
func (ix *Index) Texts(ctx context.Context, id string, uids []string) (texts map[string]string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Texts(%s)", id)
	texts = map[string]string{}
	if !search.IsKey(id) {
		return texts, nil
	}
	err = ix.service.each(ctx, in("parentPageId", []string{id})+" and kind eq 'chunk'", "id,uid,text", func(d row) {
		if slices.Contains(uids, d.UID) {
			texts[d.UID] = d.Text
		}
	})
	return texts, err
}
