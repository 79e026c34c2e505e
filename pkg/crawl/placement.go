package crawl

import (
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// place is where an item's content belongs.
type place struct {
	kind     placeKind
	why      string          // it is not in the index, or another item stands for it
	alias    source.ID       // the item that stands for it
	newAlias bool            // since this check
	soon     bool            // another check is worth it before the schedule says so
	entry    *index.Prepared // waits to enter the index
	manifest string          // of the entry
	refused  error           // why the entry is not in the index
}

type placeKind int

const (
	untouched   placeKind = iota // what the index holds is right, or the check does not say
	outOfIndex                   // not to be searched
	behindAlias                  // another item stands for it
	onItsOwn                     // in the index, if there is one
)

// size is that of the text and vectors that wait for the index.
func (p place) size() (n int) {
	if p.entry == nil {
		return 0
	}
	for _, chunk := range p.entry.Page.Chunks {
		n += len(chunk.Text) + len(chunk.Heading) + 4*len(chunk.Vector)
	}
	for _, img := range p.entry.Page.Images {
		n += len(img.Src) + len(img.Alt) + len(img.Title) + len(img.Caption)
	}
	return n
}
