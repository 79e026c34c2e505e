package registry

import (
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Uncompared counts checks that found only changes of visible text that is not compared: furniture of the page, and
// text that changes by itself. Such changes are in no feed.
type Uncompared struct {
	// Hash is the hash of all visible text at the last check.
	Hash  string    `json:"hash,omitempty"`
	Moved int       `json:"moved,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	// Folded are lines that change by themselves. Unread counts the elements whose text is not read, as in "2 select".
	Folded []extract.Folded `json:"folded,omitempty"`
	Unread string           `json:"unread,omitempty"`
}

// See returns the count after a check that found a text with the given hash. The argument sameContent states whether
// the content was the same as before.
func (u Uncompared) See(hash string, sameContent bool, now time.Time) Uncompared {
	if sameContent && u.Hash != "" && u.Hash != hash {
		u.Moved, u.Last = u.Moved+1, now
	}
	u.Hash = hash
	return u
}
