package handlers

import (
	"context"
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// flushed is a store that counts how often it was flushed. It fails if err is set.
type flushed struct {
	storage.Store
	n   int
	err error
}

func (f *flushed) Flush(context.Context) error {
	f.n++
	return f.err
}

// TestST2FlushedBeforeTheAnswer checks that deferred writes are durable before the host or a client is answered, and
// that neither is told of success if they are not.
func TestST2FlushedBeforeTheAnswer(t *testing.T) {
	f := &flushed{}
	r := newRig(t, func(s storage.Store) storage.Store { f.Store = s; return f })
	ask := func() (trigger, route int) {
		job := binaryEnvelope(r.register("https://port.example/ok/one"))
		f.n = 0
		w := do(t, r, "POST", "/CrawlWorker", job)
		if f.n != 1 {
			t.Errorf("a trigger flushed %d times", f.n)
		}
		if got := do(t, r, "GET", "/api/items", ""); f.n != 1 || got.Code != http.StatusOK {
			t.Errorf("a read flushed %d times, and answered %d", f.n-1, got.Code)
		}
		got := do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/two"}`)
		if f.n != 2 {
			t.Errorf("a route flushed %d times", f.n-1)
		}
		return w.Code, got.Code
	}
	if trigger, route := ask(); trigger != http.StatusOK || route != http.StatusAccepted {
		t.Errorf("have %d, %d", trigger, route)
	}
	f.err = fault.New(fault.Unavailable, "the disk is full")
	if trigger, route := ask(); trigger != http.StatusInternalServerError || route != http.StatusServiceUnavailable {
		t.Errorf("not durable: have %d, %d", trigger, route)
	}
}
