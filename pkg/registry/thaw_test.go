package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/storage"
)

func TestThaw(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)
	row := func(row string, props storage.Properties) storage.Entity {
		return storage.Entity{Key: storage.Key{Partition: "a.example", Row: row}, ETag: "1", Props: props}
	}
	for _, tt := range []struct {
		name   string
		row    storage.Entity
		want   storage.Properties
		hinted bool
	}{
		{"an item loses its lock", row("abc", storage.Properties{"lockedUntil": "x", "lockOwner": "y", "id": "url_a"}),
			storage.Properties{"id": "url_a"}, false},
		{"a host loses leases and claims, and keeps its pause",
			row(hostRow("a.example"), storage.Properties{"leases": "[]", "claimedUntil": "x",
				"pausedUntil": "p"}), storage.Properties{"pausedUntil": "p"}, false},
		{"a due row loses its claim", row(dueRow(at, "abc"), storage.Properties{"enqueuedUntil": "x", "id": "url_a"}),
			storage.Properties{"enqueuedUntil": "", "id": "url_a"}, true},
		{"robots.txt stays as it is", row(robotsRow("https", "a.example"), storage.Properties{"verdict": "rules"}),
			storage.Properties{"verdict": "rules"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, hint, hinted := Thaw(tt.row)
			if diff := cmp.Diff(storage.Entity{Key: tt.row.Key, Props: tt.want}, got); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if again, _, _ := Thaw(got); !cmp.Equal(again, got) {
				t.Errorf("thawed twice: %v", again)
			}
			if hinted != tt.hinted || hinted && hint.Key != hintKey("a.example", at.Truncate(time.Minute)) {
				t.Errorf("hint: %v %v", hinted, hint)
			}
		})
	}
}

// TestThawFreesWhatIsHeld checks that Thaw clears every column that binds a row to a worker.
func TestThawFreesWhatIsHeld(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 40)...)
		for _, job := range b.take(t) {
			if _, err := b.Jobs.Begin(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		}
		for e, err := range b.s.Items.Query(t.Context(), storage.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			e, _, due := Thaw(e)
			if due && !enqueuedUntil(e).IsZero() {
				t.Errorf("%s: claimed", e.Row)
			}
			if it := itemOf(e); isItemRow(e.Row) && (it.LockOwner != "" || !it.eligible(b.s.Now(), Attempt{})) {
				t.Errorf("%s: locked by %q", e.Row, it.LockOwner)
			}
			var h hostState
			if h = hostStateOf(e); len(h.Policy.Leases) > 0 || !h.Policy.Pace.ClaimedUntil.IsZero() {
				t.Errorf("%s: held: %+v", e.Row, h)
			}
		}
	})
}
