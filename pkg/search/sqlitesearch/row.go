package sqlitesearch

import "github.com/tidemark/tidemark/pkg/search"

// slotBits is the number of bits of a chunk's row id that distinguish it from the other chunks of its page.
const slotBits = 16

// Every chunk of a page has a slot.
var _ [1<<slotBits - search.MaxChunks]struct{}

// row is a stored chunk.
type row struct {
	id, document                           int64 // document is its number in the postings
	key, uid, title, heading, body, anchor string
	zone                                   string // identified by the key, so it never changes
	vector                                 []byte // to be written; nil for none, and in rows that were read
}

func firstSlot(page int64) int64 { return page << slotBits }
func lastSlot(page int64) int64  { return page<<slotBits | (1<<slotBits - 1) }
