package sqlitefile

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
)

// TestST1SlabsOfTheDriver checks that the memory into which the driver copies a text stays mapped when it is freed
// (ST1).
func TestST1SlabsOfTheDriver(t *testing.T) {
	tls := libc.NewTLS()
	defer tls.Close()
	for n := smallest; n <= largest; n *= 2 {
		p := libc.Xmalloc(tls, types.Size_t(n))
		libc.Xfree(tls, p)
		if !isMapped(t, p) {
			t.Errorf("a block of %d bytes was given back to the system", n)
		}
	}
}

// isMapped reports whether the process has memory at an address.
func isMapped(t *testing.T, p uintptr) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 && from <= p && p < to {
			return true
		}
	}
	return false
}
