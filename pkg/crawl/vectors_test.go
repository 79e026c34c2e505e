package crawl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search/embed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// modelRig is a rig whose pages get vectors from a model. The vectors are kept in the rig's store.
type modelRig struct {
	*rig
	model *llmtest.Embedder

	mu     sync.Mutex
	reads  int // reads of stored vectors
	writes int
	calls  int // calls to their table
	// fault may make the nth call fail, before it is executed or after.
	failing int
	after   bool
}

func newModelRig(t *testing.T) *modelRig {
	t.Helper()
	m := &modelRig{model: llmtest.NewEmbedder("tide-embed", 8)}
	m.rig = newRig(t, func(k *knobs) {
		k.store = func(s storage.Store) storage.Store {
			cached := embed.NewCached(
				m.model,
				storagetest.Hooked(s, storagetest.Hooks{OnBefore: m.before, OnAfter: m.afterwards}),
				nil,
			)
			must(t, cached.Create(t.Context()))
			k.vectors = embed.NewPageEmbedder(cached)
			return s
		}
	})
	return m
}

func (m *modelRig) before(_ context.Context, c storagetest.Call) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch c.Op {
	case "table.Get":
		m.reads++
	case "table.Transact":
		m.writes++
	default:
		return nil
	}
	if m.calls++; m.calls == m.failing && !m.after {
		return fault.New(fault.Unavailable, "the store is down")
	}
	return nil
}

func (m *modelRig) afterwards(_ context.Context, _ storagetest.Call, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.after && m.calls == m.failing && err == nil {
		m.failing = 0
		return fault.New(fault.Unavailable, "the answer was lost")
	}
	return err
}

// used returns the reads and writes of the table since the last call.
func (m *modelRig) used() (reads, writes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reads, writes = m.reads, m.writes
	m.reads, m.writes = 0, 0
	return reads, writes
}

// sections is a page with a chunk for each text.
func sections(title string, texts ...string) page {
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "<h2>Part %d</h2><p>What is said of %s stands in this place.</p>", i, text)
	}
	return page{body: "<html lang=en><title>" + title + "</title><main>" + b.String() + "</main>"}
}

// expectVectors checks that every chunk of a page in the index has the vector of its text.
func (m *modelRig) expectVectors(path string, chunks int) {
	m.t.Helper()
	m.index.mu.Lock()
	defer m.index.mu.Unlock()
	p := m.index.pages[string(m.source(path).ID())]
	if len(p.Chunks) != chunks {
		m.t.Errorf("%d chunks, want %d", len(p.Chunks), chunks)
	}
	for _, c := range p.Chunks {
		if !slices.Equal(c.Vector, llmtest.Vector(embed.Text(c), 8)) {
			m.t.Errorf("chunk %q has not its vector", c.Text)
		}
	}
}

// TestC5VectorsOfAPage checks C5: only new chunks are embedded, and a check that finds nothing new costs nothing.
func TestC5VectorsOfAPage(t *testing.T) {
	r := newModelRig(t)
	r.site.put("/p", sections("v1", "ebb", "flood", "slack").etag("1"))
	if it := r.first("/p"); it.Status != indexed {
		t.Fatalf("status %s: %s", it.Status, it.ErrorMessage)
	}
	r.expectVectors("/p", 3)
	if reads, writes := r.used(); reads != 3 || writes != 3 || r.model.Texts() != 3 {
		t.Errorf("first seen: %d reads, %d writes, %d texts", reads, writes, r.model.Texts())
	}
	r.next("/p")
	if reads, writes := r.used(); reads+writes != 0 {
		t.Errorf("unchanged: %d reads, %d writes", reads, writes)
	}
	r.site.put("/p", sections("v2", "ebb", "springs", "slack").etag("2"))
	r.next("/p")
	r.expectVectors("/p", 3)
	if reads, writes := r.used(); reads != 3 || writes != 1 || r.model.Texts() != 4 {
		t.Errorf("one chunk new: %d reads, %d writes, %d texts", reads, writes, r.model.Texts())
	}
}

// TestModelDown checks that pages are fetched and stored while the model is down, and are indexed later from their
// snapshots without a request to the site. Meanwhile a search finds the former content.
func TestModelDown(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
	}{
		{"unavailable", fault.New(fault.Unavailable, "down")},
		{"throttled", fault.After(time.Hour, "busy")},
		{"the key is refused", fault.New(fault.Blocked, "check LITELLM_MASTER_KEY")},
		{"there is no such model", fault.Field("Model", "check EMBEDDINGS_MODEL")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newModelRig(t)
			r.site.put("/p", sections("v1", "ebb"))
			r.first("/p")
			r.model.Fail = func(string) error { return tc.err }
			r.site.put("/p", sections("v2", "flood"))
			it := r.next("/p")
			checked := it.LastChecked
			if it.Status != registry.Crawled || !it.IndexPending ||
				!strings.Contains(it.ErrorMessage, tc.err.Error()) ||
				r.index.holds(it) != "v1" {
				t.Fatalf("status %s, pending %v, message %q, index %q", it.Status, it.IndexPending, it.ErrorMessage,
					r.index.holds(it))
			}
			r.site.asked()
			for range 3 {
				it = r.next("/p")
			}
			r.model.Fail = nil
			it = r.next("/p")
			if asked := r.site.asked(); len(asked) > 0 || !it.LastChecked.Equal(checked) {
				t.Errorf("the site was asked: %q", asked)
			}
			if it.Status != indexed || it.IndexPending || it.ErrorMessage != "" || r.index.holds(it) != "v2" {
				t.Errorf("status %s, pending %v, message %q, index %q", it.Status, it.IndexPending, it.ErrorMessage,
					r.index.holds(it))
			}
			r.expectVectors("/p", 1)
			if want := checked.Add(schedule.Defaults().Base); !it.NextCrawlAt.Equal(want) {
				t.Errorf("next check at %s, want %s", it.NextCrawlAt, want)
			}
		})
	}
}

// TestModelRefusesOnePage checks that a page that gets no vectors does not delay the other pages of its batch.
func TestModelRefusesOnePage(t *testing.T) {
	r := newModelRig(t)
	r.model.Fail = func(text string) error {
		if strings.Contains(text, "flood") {
			return fault.Field("Model", "nothing of floods")
		}
		return nil
	}
	for _, name := range []string{"ebb", "flood", "slack"} {
		r.site.put("/"+name, sections(name, name))
	}
	r.register(false, "/ebb", "/flood", "/slack")
	r.mustWork()
	for name, want := range map[string]registry.Status{"ebb": indexed, "flood": registry.Crawled, "slack": indexed} {
		if it := r.item("/" + name); it.Status != want || it.IndexPending != (want == registry.Crawled) {
			t.Errorf("%s: status %s, pending %v", name, it.Status, it.IndexPending)
		}
	}
}

// TestFaultsOfVectors checks that whichever request for stored vectors fails, before it was executed or after, the
// page has its vectors in the end, and no text is computed twice unless the write of its vector failed.
func TestFaultsOfVectors(t *testing.T) {
	for _, after := range []bool{false, true} {
		for failing := 1; ; failing++ {
			r := newModelRig(t)
			r.after, r.failing = after, failing
			r.site.put("/p", sections("v1", "ebb", "flood"))
			it := r.first("/p")
			for range 3 {
				if it.Status != indexed {
					it = r.next("/p")
				}
			}
			if it.Status != indexed || len(r.site.asked()) != 1 {
				t.Errorf("call %d, after %v: status %s, %s", failing, after, it.Status, it.ErrorMessage)
			}
			r.expectVectors("/p", 2)
			if n := r.model.Texts(); n > 3 || after && n != 2 {
				t.Errorf("call %d, after %v: %d texts computed", failing, after, n)
			}
			if r.calls < failing {
				break // no further call to make fail
			}
		}
	}
}
