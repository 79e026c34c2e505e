package verdict

import (
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Placement states where an item's content belongs.
type Placement struct {
	Kind     PlacementKind
	Why      string          // why the item is not in the index, or why another item stands for it
	Alias    source.ID       // the item that stands for the page
	NewAlias bool            // another item than before stands for the page
	Soon     bool            // another check is useful before its scheduled time
	Entry    *index.Prepared // the page that waits to be indexed
	Manifest string          // the manifest of the entry
	Refused  error           // why the entry is not in the index
}

// PlacementKind is a kind of placement.
type PlacementKind int

// Kinds of placement.
const (
	Untouched   PlacementKind = iota // the index is right, or this check does not decide
	OutOfIndex                       // the page must not be found by a search
	BehindAlias                      // another item stands for the page
	OnItsOwn                         // the page is in the index itself, if there is an index
)

// Size returns how many bytes of text and vectors wait for the index.
func (p Placement) Size() (n int) {
	if p.Entry == nil {
		return 0
	}
	for _, chunk := range p.Entry.Page.Chunks {
		n += len(chunk.Text) + len(chunk.Heading) + 4*len(chunk.Vector)
	}
	for _, img := range p.Entry.Page.Images {
		n += len(img.Src) + len(img.Alt) + len(img.Title) + len(img.Caption)
	}
	return n
}
