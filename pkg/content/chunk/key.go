package chunk

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strconv"
	"strings"
)

// Key names a chunk by its page and its own words: page, zone, heading path, kind and text. A part of a table is named
// by the header of the table, too. Unlike the [UID], a key
// does not change with the text around the chunk, so an index that uses keys writes only new chunks. A key begins
// with a letter and has at most 60 letters, digits and hyphens, which every search index accepts.
//
// When several chunks of a page have the same words, headings, zone and kind, the second and later ones get the
// suffixes "-2", "-3" and so on. An edit changes the key of such a chunk only by adding or removing an equal chunk
// before it. A key contains 130 bits of a SHA-256, so nobody can construct two different pages or texts with the same
// key. An index of pages from unknown hosts needs this protection.
type Key string

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// keys assigns keys to the chunks of one page.
type keys struct {
	page string
	seen map[Key]int
}

func (k *keys) next(c Chunk) Key {
	if k.seen == nil {
		k.seen = map[Key]int{}
	}
	key := keyOf(k.page, c.Heading, string(c.Kind)+string(c.Zone), c.Searched())
	k.seen[key]++
	if n := k.seen[key]; n > 1 {
		key += Key("-" + strconv.Itoa(n))
	}
	return key
}

// keyOf hashes the parts together with their lengths, so that different lists of parts never have the same hash
// input.
func keyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(part))
	}
	return Key("chunk-" + keyEncoding.EncodeToString(h.Sum(nil))[:26])
}

// Searched returns the text by which the chunk is found: its words, below the header of the table that it continues.
func (c Chunk) Searched() string {
	if c.Lead == "" {
		return c.Text
	}
	return c.Lead + "\n" + c.Text
}

// Embedded returns the text from which the chunk's vector is computed: its headings and its words.
func (c Chunk) Embedded() string { return strings.TrimSpace(c.Heading + "\n\n" + c.Searched()) }

// textHash returns the hash of [Chunk.Embedded], as "sha256:" and 64 hex digits.
func (c Chunk) textHash() string {
	sum := sha256.Sum256([]byte(c.Embedded()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
