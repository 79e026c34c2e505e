package search

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Contents describes the documents of a page in an index, so that the next Put can write only the difference, without
// reading first. A caller gets it by calling [Page.Contents] on the page that it put last, and may store it as JSON.
// A Contents is valid only if every Put and Remove of the page since then returned nil. A call that failed or was
// interrupted may have left chunks that belong to no page. Only a Put without Known removes those chunks.
type Contents struct {
	Fields string            `json:"fields"`         // digest of those values of the page that are written with each chunk
	Tags   string            `json:"tags,omitempty"` // digest of the tags, which are written without the texts; "" for none
	Chunks map[string]string `json:"chunks"`         // uids of the chunks, by key
	// Anchors holds the anchors of the chunks that have one, by key.
	Anchors map[string]string `json:"anchors,omitempty"`
	Images  map[string]string `json:"images"` // digests of the images, by id
}

// Contents returns the contents of an index after a Put of p.
func (p Page) Contents() *Contents {
	h := &Contents{
		Fields: p.fields(),
		Chunks: make(map[string]string, len(p.Chunks)), Anchors: map[string]string{},
		Images: make(map[string]string, len(p.Images)),
	}
	if len(p.Tags) > 0 {
		h.Tags = digest(p.Tags...)
	}
	for _, c := range p.Chunks {
		h.Chunks[c.Key] = c.UID
		if c.Anchor != "" {
			h.Anchors[c.Key] = c.Anchor
		}
	}
	for _, img := range p.Images {
		h.Images[img.ID] = digest(p.URL, img.Src, img.Alt, img.Title, img.Caption)
	}
	return h
}

// fields returns a digest of all values of a page by which its chunks are filtered, ranked or shown.
func (p Page) fields() string {
	all := []string{p.URL, p.Host, p.Type, p.Title, p.Language, p.Group}
	if !p.PublishedAt.IsZero() { // if the zero date were included, every page without a date would be written again
		all = append(all, p.PublishedAt.UTC().Format(time.RFC3339))
	}
	return digest(all...)
}

// digest returns 96 bits of a hash. That is enough, because a digest is compared only with others of the same page.
func digest(texts ...string) string {
	encoded, _ := json.Marshal(texts) // encoding strings never fails
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:12])
}
