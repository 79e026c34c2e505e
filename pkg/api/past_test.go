package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPast checks that a whole history is not read again, and that one which may be longer is read to its end, newest
// first.
func TestPast(t *testing.T) {
	const stored = 1203
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	capture := func(i int) Capture {
		return Capture{SHA256: fmt.Sprint(i), CapturedAt: at.Add(time.Duration(i*7919%stored) * time.Second)}
	}
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		from, _ := strconv.Atoi(r.URL.Query().Get("continuation"))
		to, next := min(from+100, stored), ""
		if to < stored {
			next = fmt.Sprint(to)
		}
		if strings.HasSuffix(r.URL.Path, "/lineage") {
			_ = json.NewEncoder(w).Encode(EdgePage{Lineage: make([]Edge, to-from), Continuation: next})
			return
		}
		page := CapturePage{Continuation: next}
		for i := from; i < to; i++ {
			page.Captures = append(page.Captures, capture(i))
		}
		_ = json.NewEncoder(w).Encode(page)
	}))
	t.Cleanup(srv.Close)
	c := NewClient(srv.URL, "", nil)
	item := ItemDetail{Item: Item{ID: "url_a"}, Captures: make([]Capture, MaxPast-1), Lineage: make([]Edge, 3)}
	if err := c.Past(t.Context(), &item); err != nil || asked != 0 || len(item.Captures) != MaxPast-1 {
		t.Errorf("a short past: %v, %d requests", err, asked)
	}
	item.Captures, item.Lineage = make([]Capture, MaxPast), make([]Edge, MaxPast)
	if err := c.Past(t.Context(), &item); err != nil || len(item.Captures) != stored || len(item.Lineage) != stored ||
		asked != 26 {
		t.Errorf("a long past: %v, %d captures, %d edges, %d requests", err, len(item.Captures), len(item.Lineage), asked)
	}
	for i, c := range item.Captures[1:] {
		if !c.CapturedAt.Before(item.Captures[i].CapturedAt) {
			t.Fatalf("capture %d is not older than the one before", i+1)
		}
	}
}

// TestPastInCircles checks that a repeated continuation is an error, not an endless loop.
func TestPastInCircles(t *testing.T) {
	c, _ := serve(t, 200, "application/json", `{"captures":[{"sha256":"a"}],"continuation":"a"}`)
	item := ItemDetail{Item: Item{ID: "url_a"}, Captures: make([]Capture, MaxPast)}
	if err := c.Past(t.Context(), &item); err == nil || !strings.Contains(err.Error(), "again and again") {
		t.Errorf("have %v", err)
	}
}
