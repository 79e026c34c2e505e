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
	"github.com/tidemark/tidemark/pkg/identity/lineage"
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

// Read reads a capture of the past as [History.Read] does.
func (p Past) Read(ctx context.Context, c snapshot.Capture, body []byte) (extract.Document, error) {
	return p.h.Read(ctx, c, body)
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

// Captures lists captures of a past, up to the given number, beginning at a cursor. The first call passes "" as
// cursor, and each later call the cursor that the previous call returned. The captures of each id are in the order of
// their digests.
func (p Past) Captures(ctx context.Context, after string, top int) ([]snapshot.Capture, string, error) {
	return page(p.IDs, after, top, func(id source.ID, after string, top int) ([]snapshot.Capture, string, error) {
		return p.h.kept.Page(ctx, id, after, top)
	})
}

// Edges lists edges of a past, up to the given number, beginning at a cursor. The first call passes "" as cursor, and
// each later call the cursor that the previous call returned. The edges of each id are listed newest first.
func (p Past) Edges(ctx context.Context, after string, top int) ([]lineage.Edge, string, error) {
	return page(p.IDs, after, top, func(id source.ID, after string, top int) ([]lineage.Edge, string, error) {
		return p.h.kept.EdgesAfter(ctx, id, after, top)
	})
}

// page returns rows that are stored under some ids, one id after the other, up to the given number. A cursor for the
// rows of the first id is a cursor of the given function. For any other id, the cursor begins with that id and a dot.
func page[T any](ids []source.ID, after string, top int, list func(id source.ID, after string, top int) (page []T,
	next string, err error)) (out []T, next string, err error) {
	at := 0
	if id, rest, elsewhere := strings.Cut(after, "."); elsewhere {
		if at = slices.Index(ids, source.ID(id)); at < 0 {
			return nil, "", fault.Field("continuation", "continuation is none of this listing")
		}
		after = rest
	}
	for ; at < len(ids); at++ {
		if len(out) == top {
			return out, string(ids[at]) + ".", nil
		}
		some, next, err := list(ids[at], after, top-len(out))
		if out = append(out, some...); err != nil || next != "" {
			if next != "" && at > 0 {
				next = string(ids[at]) + "." + next
			}
			return out, next, err
		}
		after = ""
	}
	return out, "", nil
}

// Latest is the newest part of a past. Each list begins with the newest element.
type Latest struct {
	Captures []snapshot.Capture // of several captures of the same body, the one that was read last is first
	Edges    []lineage.Edge
	Changes  []snapshot.Change
}

// Latest reads the newest part of a past. The length of each list is limited to the given number.
func (p Past) Latest(ctx context.Context, most int) (l Latest, err error) {
	for _, id := range p.IDs {
		captures, err := p.h.kept.List(ctx, id)
		if err != nil {
			return l, err
		}
		edges, err := p.h.kept.Edges(ctx, id, most)
		if err != nil {
			return l, err
		}
		changes, err := p.h.kept.Changes(ctx, id, captures, most)
		if err != nil {
			return l, err
		}
		l.Captures, l.Edges, l.Changes = append(l.Captures, captures...), append(l.Edges, edges...),
			append(l.Changes, changes...)
	}
	slices.SortFunc(l.Captures, func(a, b snapshot.Capture) int {
		return cmp.Or(b.CapturedAt.Compare(a.CapturedAt), b.ReprocessedAt.Compare(a.ReprocessedAt))
	})
	slices.SortStableFunc(l.Edges, func(a, b lineage.Edge) int { return b.At.Compare(a.At) })
	slices.SortStableFunc(l.Changes, func(a, b snapshot.Change) int { return b.At.Compare(a.At) })
	l.Captures = l.Captures[:min(len(l.Captures), most)]
	l.Edges = l.Edges[:min(len(l.Edges), most)]
	l.Changes = l.Changes[:min(len(l.Changes), most)]
	return l, nil
}
