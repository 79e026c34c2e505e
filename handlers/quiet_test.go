package handlers

import (
	"fmt"
	"testing"
	"time"
)

// TestA12Contract records the history of an item after three checks that found nothing (testdata/quiet.golden).
func TestA12Contract(t *testing.T) {
	r := newRig(t)
	url := "https://port.example/ok/two"
	for range 4 {
		r.now = r.now.Add(time.Second)
		do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+url+`"}`)
		do(t, r, "POST", "/api/ReindexItem", `{"source":"`+url+`"}`)
		r.work()
	}
	w := do(t, r, "GET", "/api/items/"+idOf(t, url), "")
	golden(t, "quiet.golden", fmt.Sprintf("=== A12 checks that found nothing\nGET /api/items/%s\n\n%d %s\n%s\n\n",
		idOf(t, url), w.Code, w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes())))
}
