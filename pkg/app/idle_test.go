package app

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

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

// TestK9CollectorRests checks that the collector of an idle process rests until work has allocated much, and then does
// what it did before (K9).
func TestK9CollectorRests(t *testing.T) {
	const limit = 1 << 40
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	debug.FreeOSMemory()
	restCollector()
	if now := debug.SetMemoryLimit(-1); now == limit {
		t.Fatal("it does not rest")
	}
	for end := time.Now().Add(time.Minute); debug.SetMemoryLimit(-1) != limit; {
		kept = make([]byte, 1<<20)
		if time.Now().After(end) {
			t.Fatal("it rests although there is work")
		}
		runtime.Gosched()
	}
	if percent := debug.SetGCPercent(gcPercent); percent != gcPercent {
		t.Errorf("it collects at %d percent, want %d", percent, gcPercent)
	}
}

var kept []byte // keeps an allocation from the stack
