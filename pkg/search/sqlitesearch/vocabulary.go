package sqlitesearch

import "sync"

// maxKnown is the maximum number of words in the cache.
const maxKnown = 200_000

// vocabulary caches which words are in the table "forms", as hashes of word and language. For a word that is not
// cached, the writer executes a statement that may change nothing.
type vocabulary struct {
	mu    sync.Mutex
	known map[uint64]struct{}
}

func (v *vocabulary) has(key uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, known := v.known[key]
	return known
}

// add caches the words of a transaction that was committed.
func (v *vocabulary) add(keys map[uint64]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known)+len(keys) > maxKnown {
		v.known = map[uint64]struct{}{}
	}
	for k := range keys {
		v.known[k] = struct{}{}
	}
}
