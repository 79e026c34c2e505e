package sqlitesearch

import "github.com/tidemark/tidemark/pkg/search"

// slotBits is the number of low bits in a chunk's row id. They hold the slot, which distinguishes the chunk from the
// other chunks of its page.
const slotBits = 16

// Every chunk of a page must have a slot.
var _ [1<<slotBits - search.MaxChunks]struct{}

// row is a stored chunk.
type row struct {
	id, document                           int64 // document is the chunk's number in the postings
	key, uid, title, heading, body, anchor string
	zone                                   string // the key identifies the zone, so it never changes
	vector                                 []byte // to be written; nil if there is none, and in rows that were read
}

func firstSlot(page int64) int64 { return page << slotBits }
func lastSlot(page int64) int64  { return page<<slotBits | (1<<slotBits - 1) }
