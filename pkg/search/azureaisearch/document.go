package azureaisearch

import (
	"fmt"
	"strconv"
	"strings"
	"time"

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
