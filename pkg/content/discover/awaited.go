package discover

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// awaitedBytes bounds the memory of an [Awaited].
const awaitedBytes = 8 << 20

// Awaited passes pages from the crawl to the walks of this process that wait for them: the crawl has parsed them, and
// so a walk need not. It saves work only. What it has forgotten, or what another process has read, is read from the
// stored body. It is safe for concurrent use; the zero value awaits nothing.
type Awaited struct {
	pages *recent.Map[source.ID, awaited]
}

// awaited is an item whose page is awaited, and the page once it is read.
type awaited struct {
	body, base string
	robots     []string
	page       *Page
	committed  bool // the item says that this page was read
}

// NewAwaited returns an Awaited that is empty.
func NewAwaited() Awaited {
	return Awaited{&recent.Map[source.ID, awaited]{Most: awaitedBytes, Size: awaited.size}}
}

// size returns about the memory of an item, in bytes.
func (a awaited) size() int {
	n := 200 + len(a.body) + len(a.base)
	for _, value := range a.robots {
		n += 16 + len(value)
	}
	if a.page == nil {
		return n
	}
	for _, link := range a.page.Links {
		n += 48 + len(link.URL)
	}
	return n + 4*sketchSize
}

// Await records that a walk waits for the page of an item.
func (a Awaited) Await(id source.ID) {
	if a.pages != nil {
		a.pages.Put(id, awaited{})
	}
}

// Commit records that the crawl has stored what it read of an item. Before that, a walk would ask for the item in vain.
func (a Awaited) Commit(id source.ID) {
	if a.pages == nil {
		return
	}
	if got, found := a.pages.Get(id); found && got.page != nil {
		got.committed = true
		a.pages.Put(id, got)
	}
}

// Has reports whether the page of an item is kept, and the item stored.
func (a Awaited) Has(id source.ID) bool {
	if a.pages == nil {
		return false
	}
	got, found := a.pages.Get(id)
	return found && got.committed
}

// Reader returns a function that keeps what is read of the tree of an item's page, for [extract.Limits]. It is nil if
// no walk waits for the page, or if the type is not that of a page. The body is the digest of the page's bytes, and
// robots are its headers X-Robots-Tag.
func (a Awaited) Reader(id source.ID, body, contentType, base string, robots []string) func(root *html.Node) {
	if a.pages == nil || !IsPage(contentType) {
		return nil
	}
	if _, waits := a.pages.Get(id); !waits {
		return nil
	}
	return func(root *html.Node) {
		if page, err := pageOfTree(root, contentType, base); err == nil {
			a.pages.Put(id, awaited{body: body, base: base, robots: robots, page: &page})
		}
	}
}

// Page returns what was kept of the page of an item, with its headers X-Robots-Tag; nil if nothing was kept of these
// bytes at this address.
func (a Awaited) Page(id source.ID, body, base string) (page *Page, robots []string) {
	if a.pages == nil {
		return nil, nil
	}
	if got, found := a.pages.Get(id); found && got.page != nil && got.body == body && got.base == base {
		kept := *got.page
		return &kept, got.robots
	}
	return nil, nil
}
