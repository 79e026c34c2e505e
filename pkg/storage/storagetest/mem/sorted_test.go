package mem

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSortedIsASortedMap compares puts and removes with a map. There are few enough keys to collide, and enough to
// split and empty blocks.
func TestSortedIsASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sorted[string]{key: func(v string) string { return v }}
		want := map[string]bool{}
		keys := rapid.StringMatching(`[a-c][0-9]{0,3}`)
		for _, key := range rapid.SliceOfN(keys, 0, 2000).Draw(t, "keys") {
			if want[key] && rapid.Bool().Draw(t, "remove") {
				s.remove(key)
				delete(want, key)
				continue
			}
			s.put(key)
			want[key] = true
		}
		from := keys.Draw(t, "from")
		var have []string
		s.from(from, func(v string) bool { have = append(have, v); return true })
		var expect []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if key >= from {
				expect = append(expect, key)
			}
		}
		if d := cmp.Diff(expect, have); d != "" || s.n != len(want) {
			t.Fatalf("%d values, want %d; from %q (-want +have):\n%s", s.n, len(want), from, d)
		}
	})
}

// TestSortedSplits fills many blocks in ascending and in descending order.
func TestSortedSplits(t *testing.T) {
	s := sorted[int]{key: func(v int) string { return string(rune(0x4e00 + v)) }}
	const n = 5000
	for i := range n {
		s.put(i)
		s.put(2*n - 1 - i)
	}
	next := 0
	s.from("", func(v int) bool {
		if v != next {
			t.Fatalf("have %d, want %d", v, next)
		}
		next++
		return true
	})
	for i := range 2 * n {
		s.remove(s.key(i))
	}
	if s.n != 0 || len(s.blocks) != 0 {
		t.Fatalf("%d values in %d blocks are left", s.n, len(s.blocks))
	}
}
