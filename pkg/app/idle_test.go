package app

import "testing"

// TestST1IdleMemory checks that memory is given back once after work, in the second quiet interval (ST1).
func TestST1IdleMemory(t *testing.T) {
	var i idleness
	allocated := uint64(0)
	for n, step := range []struct {
		mib  uint64
		want bool
	}{
		{100, false}, {0, false}, {1, true}, {1, false}, {0, false}, // once
		{1, false}, {1, false}, // little was allocated since
		{3, false}, {1, false}, {3, false}, {20, false}, {1, false}, {8, false}, {1, false}, {0, true}, {0, false},
	} {
		allocated += step.mib << 20
		if got := i.due(allocated); got != step.want {
			t.Errorf("interval %d, after %d MiB: %v, want %v", n, step.mib, got, step.want)
		}
	}
}
