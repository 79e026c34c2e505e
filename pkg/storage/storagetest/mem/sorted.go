package mem

import (
	"slices"
	"strings"
)

// blockSize is the maximum number of values in a block of a [sorted] list. It is small enough that an insert moves
// few values, and large enough that a list has few blocks.
const blockSize = 256

// sorted is a list in key order, divided into blocks, so that an insert into a hundred thousand values moves only one
// block. No block is empty.
type sorted[T any] struct {
	key    func(T) string
	blocks [][]T
	n      int
}

// seek finds the first value whose key is at least the given key. It returns the position of the value, and whether
// the keys are equal.
func (s *sorted[T]) seek(key string) (block, at int, equal bool) {
	// Only the block before the first block that begins above the key can contain the key.
	block, exact := slices.BinarySearchFunc(s.blocks, key, func(b []T, k string) int {
		return strings.Compare(s.key(b[0]), k)
	})
	if exact {
		return block, 0, true
	}
	if block == 0 {
		return 0, 0, false
	}
	block--
	at, equal = slices.BinarySearchFunc(s.blocks[block], key, func(v T, k string) int {
		return strings.Compare(s.key(v), k)
	})
	return block, at, equal
}

func (s *sorted[T]) get(key string) (T, bool) {
	if b, i, ok := s.seek(key); ok {
		return s.blocks[b][i], true
	}
	var none T
	return none, false
}

// put inserts v, or replaces the value with the same key.
func (s *sorted[T]) put(v T) {
	b, i, equal := s.seek(s.key(v))
	if equal {
		s.blocks[b][i] = v
		return
	}
	s.n++
	if len(s.blocks) == 0 {
		s.blocks = [][]T{{v}}
		return
	}
	s.blocks[b] = slices.Insert(s.blocks[b], i, v)
	if full := s.blocks[b]; len(full) > blockSize {
		// The upper half gets an array of its own, so that the lower half can grow again without copying.
		upper := append(make([]T, 0, blockSize), full[blockSize/2:]...)
		clear(full[blockSize/2:])
		s.blocks[b] = full[:blockSize/2]
		s.blocks = slices.Insert(s.blocks, b+1, upper)
	}
}

func (s *sorted[T]) remove(key string) {
	b, i, equal := s.seek(key)
	if !equal {
		return
	}
	s.n--
	s.blocks[b] = slices.Delete(s.blocks[b], i, i+1)
	if len(s.blocks[b]) == 0 {
		s.blocks = slices.Delete(s.blocks, b, b+1)
	}
}

// from calls yield with each value whose key is at least the given key, in order, until yield returns false.
func (s *sorted[T]) from(key string, yield func(T) bool) {
	b, i, _ := s.seek(key)
	for ; b < len(s.blocks); b, i = b+1, 0 {
		for _, v := range s.blocks[b][i:] {
			if !yield(v) {
				return
			}
		}
	}
}
