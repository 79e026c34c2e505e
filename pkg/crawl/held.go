package crawl

import (
	"errors"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// The bounds of [held].
const (
	heldFor   = 3 * time.Minute
	heldItems = 200
	heldBytes = 16 << 20
)

// held keeps the answers of pages whose check was given back because the browser was busy until its time was over. The
// next check, soon after, does not request the page again. It is bounded; an answer above the bounds is requested anew.
type held struct {
	mu    sync.Mutex
	of    map[source.ID]heldAnswer
	bytes int
}

type heldAnswer struct {
	verdict.Answer
	from, credential string // what the answer was requested with
	until            time.Time
}

// note keeps the answer if an error says that the check is given back.
func (h *held) note(err error, it *registry.Item, got verdict.Answer, now time.Time) {
	if !errors.Is(err, politeness.ErrNotNow) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, a := range h.of {
		if now.After(a.until) {
			h.drop(id)
		}
	}
	h.drop(it.ID)
	size := len(got.Response.Body)
	if len(h.of) >= heldItems || h.bytes+size > heldBytes {
		return
	}
	if h.of == nil {
		h.of = map[source.ID]heldAnswer{}
	}
	h.of[it.ID], h.bytes = heldAnswer{got, verdict.FetchURL(it), it.Credential, now.Add(heldFor)}, h.bytes+size
}

// answer returns the answer that is kept for an item, which is then kept no longer.
func (h *held) answer(it *registry.Item, now time.Time) (verdict.Answer, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, found := h.of[it.ID]
	h.drop(it.ID)
	return a.Answer, found && !now.After(a.until) && a.from == verdict.FetchURL(it) && a.credential == it.Credential
}

func (h *held) drop(id source.ID) {
	h.bytes -= len(h.of[id].Response.Body)
	delete(h.of, id)
}
