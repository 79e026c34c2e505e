package memory

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestS2Limit checks that the memory of the instance is the limit of its control group or of the machine.
func TestS2Limit(t *testing.T) {
	const v1 = "9223372036854771712\n" // how version 1 writes that there is no limit
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, 0},
		{"the machine", map[string]string{"/proc/meminfo": "MemTotal:       2048 kB\nMemFree: 1 kB\n"}, 2 << 20},
		{"no limit", map[string]string{"/proc/meminfo": "MemTotal: 2048 kB\n", "/sys/fs/cgroup/memory.max": "max\n"},
			2 << 20},
		{"a container", map[string]string{"/proc/meminfo": "MemTotal: 2048 kB\n", "/sys/fs/cgroup/memory.max": "1048576\n"},
			1 << 20},
		{"version 1", map[string]string{"/proc/meminfo": "MemTotal: 2048 kB\n",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": v1}, 2 << 20},
		{"its own group", map[string]string{"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "4096\n"},
			4096},
		{"a group around it", map[string]string{"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "4096\n"},
			4096},
		{"its own group of version 1",
			map[string]string{"/proc/self/cgroup": "3:cpu:/x\n4:memory:/a\n",
				"/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096"}, 4096},
	} {
		read := func(name string) ([]byte, error) {
			if text, ok := tc.files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}
		if have := Limit(read); have != tc.want {
			t.Errorf("%s: have %d, want %d", tc.name, have, tc.want)
		}
	}
	if have := Of(1); have != least {
		t.Errorf("a setting of 1: %d", have)
	}
	if have := Of(4 << 30); have != 4<<30 {
		t.Errorf("a setting of 4 GiB: %d", have)
	}
}

// TestS2Room checks that documents wait for each other only when together they need more memory than there is.
func TestS2Room(t *testing.T) {
	r := NewRoom(1<<30, 20<<20)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	enter := func(n int) func() {
		t.Helper()
		leave, err := r.Work(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, second := enter(5<<20), enter(5<<20)
	enter(1000)()
	if _, err := r.Work(soon, 5<<20); !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third large document: %v", err)
	}
	first()
	enter(5 << 20)()
	second()
	enter(1 << 30)() // a document that needs more than all the memory gets all of it
	enter(1)()
}

// TestS2LargeNow checks that a caller that cannot wait gets room for a large body only when some is free.
func TestS2LargeNow(t *testing.T) {
	r := NewRoom(256<<20, 20<<20) // room for one
	leave, err := r.LargeNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.LargeNow(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a second one: %v", err)
	}
	leave()
	if leave, err = r.Large(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave()
}
