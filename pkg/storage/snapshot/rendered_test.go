package snapshot

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestR4PlainBody checks that a rendered page keeps the body that its source sent for as long as one of its captures
// needs it, and no longer.
func TestR4PlainBody(t *testing.T) {
	store := mem.New(func() time.Time { return noon })
	s := open(t, store)
	has := func(body string) bool {
		_, err := s.Body(t.Context(), Hash([]byte(body)))
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	rendered := func(body, sent string, at time.Duration) Capture {
		c := captureOfBody(body)
		c.PlainHash, c.Sent, c.CapturedAt = Hash([]byte(sent)), []byte(sent), noon.Add(at)
		must(t, save(t, s, c, body))
		return c
	}
	first := rendered("one", "shell", 0)
	rendered("two", "shell", time.Hour)
	rendered("three", "other shell", 2*time.Hour)
	last := rendered("four", "last shell", 3*time.Hour)
	back, err := s.First(t.Context(), first.ItemID, first.RawHash)
	if err != nil || back.PlainHash != first.PlainHash || back.ContentType() != RenderedType {
		t.Fatalf("%+v, %v", back, err)
	}
	prune := func(count int) {
		t.Helper()
		if _, err := s.Prune(t.Context(), first.ItemID, Retention{Count: count}, noon.Add(4*time.Hour),
			last.RawHash); err != nil {
			t.Fatal(err)
		}
	}
	prune(3)
	if !has("shell") || has("one") {
		t.Error("a shell that another capture needs went with the first of its captures, or the first stayed")
	}
	prune(2)
	if has("shell") || !has("other shell") {
		t.Error("a shell outlived its captures, or one went too early")
	}
	must(t, s.Purge(t.Context(), first.ItemID))
	if n := left(t, store); n != 0 {
		t.Errorf("%d rows and blobs are left after the purge", n)
	}
}
