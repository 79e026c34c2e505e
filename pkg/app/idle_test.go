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
		mib         uint64
		want, rests bool
	}{
		{100, false, false}, {0, false, false}, {1, true, true}, {1, false, true}, {0, false, true}, // once
		{1, false, true}, {1, false, true}, // little was allocated since
		{3, false, false}, {1, false, true}, {3, false, false}, {20, false, false}, {1, false, false}, {8, false, false},
		{1, false, false}, {0, true, true}, {0, false, true},
	} {
		allocated += step.mib << 20
		if got := i.due(allocated); got != step.want {
			t.Errorf("interval %d, after %d MiB: %v, want %v", n, step.mib, got, step.want)
		}
		if rests := i.interval() == restInterval; rests != step.rests {
			t.Errorf("interval %d, after %d MiB: the next one is long: %v", n, step.mib, rests)
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
