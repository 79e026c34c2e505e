// Package history reads the past of items: the captures of pages and files with their texts, the edges between
// captures, and the changes.
//
// The past of an item includes the past of items that have moved to it. Their captures and edges stay under the ids
// for which they were made. So in this package an item has several ids, and its own id comes first.
package history

import (
	"cmp"
	"context"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"golang.org/x/net/html"
)

// History reads the past of items.
type History struct {
	items     *registry.Items
	moves     *registry.Moves
	kept      *snapshot.Store
	documents *document.Reader
}

// New makes a History from the registry, the snapshot store and a reader for documents.
func New(items *registry.Items, moves *registry.Moves, kept *snapshot.Store, documents *document.Reader) *History {
	return &History{items, moves, kept, documents}
}

// Past is an item with all ids under which its past is stored.
type Past struct {
	Item registry.Item
	IDs  []source.ID // the item's own id comes first
	h    *History
}

// Find finds an item as [registry.Items.Find] does, and returns it with its past.
func (h *History) Find(ctx context.Context, id source.ID) (Past, error) {
	it, err := h.items.Find(ctx, id)
	if err != nil {
		return Past{}, err
	}
	return h.Of(ctx, it)
}

// Of returns the past of an item.
func (h *History) Of(ctx context.Context, it registry.Item) (Past, error) {
	formers, err := h.moves.Formers(ctx, &it)
	slices.Sort(formers)
	return Past{Item: it, IDs: append([]source.ID{it.ID}, formers...), h: h}, err
}

// BaseURL is the URL against which relative addresses are resolved when only the text of a document is needed.
const BaseURL = "https://capture.invalid/"

// Read reads a captured body as a document, in the same way as when it was fetched: the name of its file may decide
// what kind of text it is. Links are resolved against [BaseURL], which does not affect the text.
func (h *History) Read(ctx context.Context, c snapshot.Capture, body []byte) (extract.Document, error) {
	return h.ReadTree(ctx, c, body, nil)
}

// ReadTree does the same as Read, and passes the tree of a web page to the function tree, which may be nil.
func (h *History) ReadTree(ctx context.Context, c snapshot.Capture, body []byte, tree func(*html.Node, jsonld.Data)) (
	extract.Document, error) {
	return h.documents.Extract(ctx, body, c.ContentType(), BaseURL+fileName(c), extract.Limits{Tree: tree})
}

// fileName returns the last part of the address that answered with a capture, escaped.
func fileName(c snapshot.Capture) string {
	address := cmp.Or(c.FetchURL, c.CanonicalURI)
	if u, err := url.Parse(address); err == nil && u.Path != "" {
		address = u.Path
	}
	return url.PathEscape(path.Base(strings.ReplaceAll(address, `\`, "/")))
}

// Load reads a capture that is stored under the id of an item, or under an id of one of the items that have moved to
// it.
func (h *History) Load(ctx context.Context, id source.ID, digest string) (snapshot.Capture, []byte, error) {
	c, body, err := h.kept.Load(ctx, id, rawHash(digest))
	if !fault.Is(err, fault.NotFound) {
		return c, body, err
	}
	p, lost := h.Find(ctx, id)
	if fault.Is(lost, fault.NotFound) {
		return c, nil, notKept(err, digest)
	}
	if lost != nil {
		return c, nil, lost
	}
	return p.Load(ctx, digest)
}

// Sent reads the body that the source sent, of a capture of a rendered page.
func (h *History) Sent(ctx context.Context, c snapshot.Capture) ([]byte, error) {
	body, err := h.kept.Body(ctx, c.PlainHash)
	return body, notKept(err, Digest(c.PlainHash))
}

// Load reads a capture of the past.
func (p Past) Load(ctx context.Context, digest string) (snapshot.Capture, []byte, error) {
	c, body, err := p.h.kept.LoadOf(ctx, p.IDs, rawHash(digest))
	return c, body, notKept(err, digest)
}

// notKept turns the error for a missing capture into one that explains why the capture is missing.
func notKept(err error, digest string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "the item has no capture %s, or it is not kept any more", digest)
	}
	return err
}

// hashed is the prefix of the hash of a body. The digest follows the prefix.
const hashed = "sha256:"

func rawHash(digest string) string { return hashed + digest }

// Digest returns the digest in the hash of a body.
func Digest(rawHash string) string { return strings.TrimPrefix(rawHash, hashed) }

// IsDigest reports whether a text has the form of a digest.
func IsDigest(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// Changes yields the latest changes under each id of a past, newest first, but for the first content, which replaces
// nothing. For each id it yields at most the given number of changes.
func (p Past) Changes(ctx context.Context, most int) iter.Seq2[snapshot.Change, error] {
	return func(yield func(snapshot.Change, error) bool) {
		for _, id := range p.IDs {
			some, err := p.h.kept.Changes(ctx, id, nil, most)
			if err != nil {
				yield(snapshot.Change{}, err)
				return
			}
			for _, c := range some {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}
