package verdict

import (
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Placement states where an item's content belongs.
type Placement struct {
	Kind     PlacementKind
	Why      string          // the reason why the item is not in the index, or why another item stands for it
	Alias    source.ID       // the item that stands for the page
	NewAlias bool            // whether the item that stands for the page is a different one than before
	Soon     bool            // another check is useful before its scheduled time
	Entry    *index.Prepared // the page, as prepared for the index
	Manifest string          // the manifest of Entry
	Refused  error           // the error, if Entry could not be written to the index
}

// PlacementKind is a kind of placement.
type PlacementKind int

// Kinds of placement.
const (
	Untouched   PlacementKind = iota // nothing needs to be done, or this check cannot decide where the content belongs
	OutOfIndex                       // the page must not be found by a search
	BehindAlias                      // another item stands for the page
	OnItsOwn                         // the page is in the index itself, if there is an index
)

// Size returns the number of bytes of text and vectors that wait for the index.
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
