package registry

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/storage"
)

// The minute of a hint is never before the rows that it announces.
func TestBucket(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"2026-01-02T03:04:00.000Z", "2026-01-02T03:04Z"},
		{"2026-01-02T03:04:00.001Z", "2026-01-02T03:05Z"},
	} {
		if got := bucket(storage.ParseTime(c.at)).Format(minuteLayout); got != c.want {
			t.Errorf("bucket(%s) = %s, want %s", c.at, got, c.want)
		}
	}
}
