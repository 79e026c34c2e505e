package sqlitestore

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestAZ2GiveBack checks AZ2: what a former server had received is visible again, and what was sent with a delay is
// not. Nobody who received a message before has it any more.
func TestAZ2GiveBack(t *testing.T) {
	s, _ := clockOf(t, t.TempDir())
	a, b := s.Queue("queue-a"), s.Queue("queue-b")
	for _, err := range []error{a.Create(t.Context()), b.Create(t.Context()), a.Send(t.Context(), []byte("one"), 0),
		b.Send(t.Context(), []byte("two"), 0), b.Send(t.Context(), []byte("late"), time.Hour)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	one, err := a.Receive(t.Context(), 1, time.Hour)
	if err != nil || len(one) != 1 {
		t.Fatal(one, err)
	}
	if two, err := b.Receive(t.Context(), 2, time.Hour); err != nil || len(two) != 1 {
		t.Fatal(two, err)
	}
	if err := s.GiveBack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Delete(t.Context(), one[0]); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted by the former server: %v", err)
	}
	again, err := a.Receive(t.Context(), 2, time.Hour)
	if err != nil || len(again) != 1 || again[0].ID != one[0].ID || again[0].Dequeued != 2 {
		t.Errorf("received again: %+v %v", again, err)
	}
	if two, err := b.Receive(t.Context(), 2, time.Hour); err != nil || len(two) != 1 || string(two[0].Body) != "two" {
		t.Errorf("of the other queue: %+v %v", two, err)
	}
}
