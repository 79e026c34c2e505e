package product

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestWatched checks that a page is checked by its own schedule, that a rule's messages arrive with what differs, and
// that a page that cannot be read is an error.
func TestWatched(t *testing.T) {
	began, fee, down := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), 49, error(nil)
	site := func(time.Time) (string, []byte, error) {
		body := fmt.Appendf(nil, "<title>Quay</title><main><p>The quay is open.<p>The fee is %d EUR.</main>", fee)
		return "text/html", body, down
	}
	w, err := New(t.Context(), "https://a.example/", Every(time.Hour), site, began, func() float64 { return 0 })
	must(t, err)
	must(t, w.Rule(t.Context(), "all", api.RuleFilter{}))
	must(t, w.Rule(t.Context(), "gone", api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "gone"}}))
	if due, err := w.Due(t.Context()); err != nil || !due.Equal(began.Add(time.Hour)) {
		t.Fatalf("due %v, %v", due, err)
	}
	must(t, w.CheckAt(t.Context(), began.Add(time.Hour), began.Add(2*time.Hour)))
	if told := w.Messages(); len(told) > 0 || w.Asked() != 2 {
		t.Errorf("%d requests, told %v", w.Asked(), told)
	}
	fee = 54
	must(t, w.CheckAt(t.Context(), began.Add(90*time.Minute), began.Add(4*time.Hour)))
	told := w.Messages()
	if len(told) != 1 || len(Of("all", told)) != 1 || len(told[0].Differing) != 2 ||
		told[0].Title != "Quay: fee 49 → 54 EUR" {
		t.Errorf("told %+v", told)
	}
	if at := w.Now(); w.Asked() != 5 || at.Before(began.Add(3*time.Hour)) { // at 13:30, 14:30 and 15:30
		t.Errorf("%d requests until %v", w.Asked(), at)
	}
	down = errors.New("the site is down")
	must(t, w.Ask(t.Context()))
	must(t, w.Work(t.Context()))
	if _, err := w.Due(t.Context()); err == nil || !strings.Contains(err.Error(), "the site is down") {
		t.Error("a page that cannot be read is no error:", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
