package chunk

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strconv"
	"strings"
)

// Key names a chunk by its page and its own words alone: page, heading path, kind and text. It
// stays when what surrounds the chunk changes, where the [UID] does not, so an index that goes by
// keys writes only what is new. It begins with a letter and has at most 60 letters, digits and
// hyphens, as every search index takes them.
//
// Chunks of a page that are equal in all of that are counted from "-2" on, so that an edit moves the
// key of such a chunk only if it adds or removes its equal before it. Keys of different pages and
// words differ even if somebody tries to make them collide, because they hold 130 bits of a SHA-256: an index
// of pages from unknown hosts needs that.
type Key string

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// keys gives the chunks of one page their keys.
type keys struct {
	page string
	seen map[Key]int
}

func (k *keys) next(c Chunk) Key {
	if k.seen == nil {
		k.seen = map[Key]int{}
	}
	key := keyOf(k.page, c.Heading, string(c.Kind), c.Text)
	k.seen[key]++
	if n := k.seen[key]; n > 1 {
		key += Key("-" + strconv.Itoa(n))
	}
	return key
}

// keyOf hashes the parts with their lengths, so that no two lists of parts run together.
func keyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(part))
	}
	return Key("chunk-" + keyEncoding.EncodeToString(h.Sum(nil))[:26])
}

// Embedded is the text that a vector of the chunk is made of: its headings and its words.
func (c Chunk) Embedded() string { return strings.TrimSpace(c.Heading + "\n\n" + c.Text) }

// TextHash names [Chunk.Embedded], as "sha256:" and 64 hex digits.
func (c Chunk) TextHash() string {
	sum := sha256.Sum256([]byte(c.Embedded()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
