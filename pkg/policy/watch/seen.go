package watch

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Seen are the entries of a list that were seen, by short hashes of their identities. Those of the last reading come
// first, then those that the list has no longer shown for the shortest time. So an entry that was on another page of
// the list for a while is not new when it comes back.
type Seen []byte

// MaxSeen limits the number of entries that are remembered.
const MaxSeen = 2000

const hashSize = 8

// Len returns the number of entries.
func (s Seen) Len() int { return len(s) / hashSize }

// See adds the entries of a reading, of which each has another identity. It returns the numbers of those that were
// not seen before, and how many entries are forgotten because of [MaxSeen].
func (s Seen) See(identities []string) (next Seen, fresh []int, forgotten int) {
	known, now := map[uint64]bool{}, map[uint64]bool{}
	for at := 0; at+hashSize <= len(s); at += hashSize {
		known[binary.BigEndian.Uint64(s[at:])] = true
	}
	for i, id := range identities {
		hash := xxhash.Sum64String(id)
		if now[hash] {
			continue
		}
		now[hash] = true
		next = binary.BigEndian.AppendUint64(next, hash)
		if !known[hash] {
			fresh = append(fresh, i)
		}
	}
	for at := 0; at+hashSize <= len(s); at += hashSize {
		switch hash := binary.BigEndian.Uint64(s[at:]); {
		case now[hash]:
		case next.Len() < MaxSeen:
			next = binary.BigEndian.AppendUint64(next, hash)
		default:
			forgotten++
		}
	}
	return next, fresh, forgotten
}
