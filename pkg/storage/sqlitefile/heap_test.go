package sqlitefile

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// block is memory that a test has taken. Its first and last bytes hold a mark.
type block struct {
	at    uintptr
	bytes []byte
	mark  byte
}

func take(t *rapid.T, h *heap, n int, mark byte) block {
	at := h.alloc(n)
	if at == 0 || size(at) < n {
		t.Fatalf("%d bytes: a block at %x", n, at)
	}
	b := block{at, unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n), mark}
	b.bytes[0], b.bytes[n-1] = mark, mark
	return b
}

// TestST1HeapHoldsContents takes and frees blocks of any sizes in any order. It checks that they do not overlap, that
// a freed block serves the next request of its size, that the memory that is kept is bounded, and that all of it is
// given back after two intervals without use.
func TestST1HeapHoldsContents(t *testing.T) {
	sizes := []int{8, 500, 1000, 1024, 1025, 4368, 16384, 16385, 65504, 65505, 1 << 20, 20 << 20}
	rapid.Check(t, func(t *rapid.T) {
		h := newHeap(func(func()) {})
		var blocks []block
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch i := rapid.IntRange(0, 10).Draw(t, "step"); {
			case i == 0:
				h.giveBack()
			case i < 6 || len(blocks) == 0:
				blocks = append(blocks, take(t, h, rapid.SampledFrom(sizes).Draw(t, "size"), byte(step)))
			default:
				at := rapid.IntRange(0, len(blocks)-1).Draw(t, "block")
				b := blocks[at]
				if n := len(b.bytes); b.bytes[0] != b.mark || b.bytes[n-1] != b.mark {
					t.Fatalf("a block of %d bytes was overwritten", n)
				}
				n, kept := size(b.at), h.keeps
				h.free(b.at)
				again := take(t, h, len(b.bytes), b.mark)
				if again.at != b.at && n >= smallest && kept+n <= keepBytes {
					t.Fatalf("%d bytes: another block", len(b.bytes))
				}
				h.free(again.at)
				blocks = slices.Delete(blocks, at, at+1)
			}
			if h.keeps > keepBytes || h.keeps > 0 && !h.armed {
				t.Fatalf("%d bytes are kept, given back later: %v", h.keeps, h.armed)
			}
		}
		for _, b := range blocks {
			h.free(b.at)
		}
		h.giveBack()
		h.giveBack()
		if h.used != 0 || h.keeps != 0 || h.armed {
			t.Errorf("at the end %d bytes are used and %d kept; given back later: %v", h.used, h.keeps, h.armed)
		}
		_ = h.below.Close()
	})
}

// TestST1HeapGivesBackWhatIsUnused checks that a block that is used in each interval stays, and the others do not.
func TestST1HeapGivesBackWhatIsUnused(t *testing.T) {
	h := newHeap(func(func()) {})
	a, b := h.alloc(4096), h.alloc(4096)
	h.free(a)
	h.free(b)
	for range 3 {
		h.giveBack()
		h.free(h.alloc(4000))
	}
	if h.keeps != 4096 {
		t.Errorf("%d bytes are kept, want one block", h.keeps)
	}
}
