package chunk

import (
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// namer gives the chunks of one page their names.
type namer struct {
	item string
	seen map[string]int // UIDs before counting, and how often they came
}

// name is the xxh64 of item id, heading path, text and the number of the occurrence. Equal pieces
// of one page are told apart by counting, so an edit elsewhere moves no name unless it adds or
// removes an equal piece before.
func (n *namer) name(heading, text string) string {
	key := uid(n.item, heading, text, 0)
	occurrence := n.seen[key]
	for {
		name := key
		if occurrence > 0 {
			name = uid(n.item, heading, text, occurrence)
		}
		n.seen[key] = occurrence + 1
		if name == key && occurrence == 0 || n.seen[name] == 0 {
			n.seen[name] = max(n.seen[name], 1)
			return name
		}
		occurrence++ // two different pieces share a hash
	}
}

// uid hashes the parts with their lengths, so that no two lists of parts run together.
func uid(item, heading, text string, occurrence int) string {
	h := xxhash.New()
	for _, part := range []string{item, heading, text, strconv.Itoa(occurrence)} {
		h.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
