package azureaisearch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Document keys have at most 1024 bytes, because each part is within [search.MaxKey].

func pageKey(id string) string { return "p-" + id }

func pageOf(key string) string { return strings.TrimPrefix(key, "p-") }

func chunkKey(page, key string) string { return fmt.Sprintf("c%d-%s-%s", len(page), page, key) }

func imageKey(page, id string) string { return fmt.Sprintf("i%d-%s-%s", len(page), page, id) }

// pageDocument returns the document of a page, which every Put rewrites. Searches read only the document's title.
func pageDocument(p search.Page) object {
	images := []string{} // a collection must not be null
	for _, img := range p.Images[:min(len(p.Images), search.MaxNested)] {
		images = append(images, img.ID)
	}
	return object{
		"id": pageKey(p.ID), "kind": "page", "parentPageId": p.ID, "changedAt": moment(p.ChangedAt),
		"publishedAt": moment(p.PublishedAt), "url": plain(p.URL),
		"path": search.PathOf(p.URL), "tags": tagsOf(p),
		"host": plain(p.Host), "type": plain(p.Type), "title": plain(p.Title),
		"language": plain(p.Language), "mimeType": plain(p.MimeType), "indexedAt": moment(p.IndexedAt), "images": images,
		"group": plain(p.Group), "rank": strconv.Itoa(p.Precedence), "content": plain(p.Content),
	}
}

// tagsOf returns the tags of a page. It never returns nil, because a collection must not be null.
func tagsOf(p search.Page) []string {
	tags := []string{}
	for _, t := range p.Tags {
		tags = append(tags, plain(t))
	}
	return tags
}

func (ix *Index) chunkDocument(p search.Page, c search.Chunk) object {
	d := object{
		"id": chunkKey(p.ID, c.Key), "kind": "chunk", "parentPageId": p.ID, "uid": plain(c.UID),
		"url": plain(p.URL), "host": plain(p.Host), "type": plain(p.Type), "language": plain(p.Language),
		"title": plain(p.Title), "heading": plain(c.Heading), "anchor": plain(c.Anchor), "text": plain(c.Text),
		"zone":      plain(c.Zone),
		"changedAt": moment(p.ChangedAt), "publishedAt": moment(p.PublishedAt), "group": plain(p.Group),
		"path": search.PathOf(p.URL), "tags": tagsOf(p),
	}
	if stems := stemFieldOf(p.Language); stems != "" {
		d[stems] = []string{plain(p.Title), plain(c.Heading), plain(c.Text)}
	}
	if ix.dimensions > 0 && c.Vector != nil {
		d["vector"] = c.Vector
	}
	return d
}

// withoutOtherStems clears the stem fields of other languages, because a merge would keep their old values.
func withoutOtherStems(d object) object {
	for _, f := range stemFields() {
		if d[f.name] == nil {
			d[f.name] = []string{}
		}
	}
	return d
}

// moment returns a time in the form that the service expects, or null for the zero time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func imageDocument(p search.Page, img search.Image) object {
	return object{
		"id": imageKey(p.ID, img.ID), "kind": "image", "parentPageId": p.ID, "parentPageUrl": plain(p.URL),
		"src": plain(img.Src), "alt": plain(img.Alt), "title": plain(img.Title), "caption": plain(img.Caption),
	}
}

// images returns the images of pages, by page, in page order. The page's own document stores the order, so that an
// image that moves within its page is not written again.
func (s *service) images(ctx context.Context, groups []group) (map[string][]search.Image, error) {
	var pages []string
	for _, g := range groups {
		pages = append(pages, pageKey(g.page))
	}
	order := map[string][]string{} // keys of images by page
	var keys []string
	err := s.each(ctx, in("id", pages), "id,images", func(d row) {
		page := pageOf(d.ID)
		for _, id := range d.Images {
			order[page] = append(order[page], imageKey(page, id))
		}
		keys = append(keys, order[page]...)
	})
	if err != nil {
		return nil, err
	}
	found := map[string]search.Image{}
	for part := range slices.Chunk(keys, maxRows) {
		err := s.each(ctx, in("id", part), "id,src,alt,title,caption", func(d row) {
			found[d.ID] = search.Image{Src: d.Src, Alt: d.Alt, Title: d.Title, Caption: d.Caption}
		})
		if err != nil {
			return nil, err
		}
	}
	return nested(order, found), nil
}

// nested groups images by page, in order.
func nested(order map[string][]string, found map[string]search.Image) map[string][]search.Image {
	images := map[string][]search.Image{}
	for page, keys := range order {
		for _, key := range keys {
			if img, there := found[key]; there {
				img.ID = key[len(imageKey(page, "")):]
				images[page] = append(images[page], img)
			}
		}
	}
	return images
}

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
