package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// opened opens a store and an index file as one process does.
func opened(t *testing.T, store storage.Store, path string, log *slog.Logger) (*handlers.Services, error) {
	t.Helper()
	cfg, err := Load(env(nil))
	if err != nil {
		t.Fatal(err)
	}
	index, err := sqlitesearch.Open(path, sqlitesearch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return Assemble(t.Context(), cfg, env(nil), store, index, log)
}

func mustOpen(t *testing.T, store storage.Store, path string) *handlers.Services {
	t.Helper()
	s, err := opened(t, store, path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func activeRuns(t *testing.T, s *handlers.Services) []rebuild.Run {
	t.Helper()
	runs, err := s.Rebuilds.Active(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func registerOne(t *testing.T, s *handlers.Services) {
	t.Helper()
	src, err := source.DefaultRules().ParseURL("https://port.example/")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Registry.Items.Register(t.Context(), []source.Source{src}, registry.RegisterOptions{})[0].Err; err != nil {
		t.Fatal(err)
	}
}

// A19: a new index over a registry with items is filled automatically: once, however many processes open it, with a
// line in the log. Nothing happens if there is nothing to fill it with.
func TestA19LostIndexIsRebuilt(t *testing.T) {
	store, dir := mem.New(time.Now), t.TempDir()
	path := filepath.Join(dir, "index.db")
	first := mustOpen(t, store, path)
	if runs := activeRuns(t, first); len(runs) != 0 {
		t.Errorf("an empty registry is rebuilt: %+v", runs)
	}
	registerOne(t, first)
	if runs := activeRuns(t, mustOpen(t, store, path)); len(runs) != 0 {
		t.Errorf("the index is there, and rebuilt: %+v", runs)
	}

	lost := filepath.Join(dir, "another.db")
	var wg sync.WaitGroup
	var log bytes.Buffer
	for i := range 4 { // several instances start together
		out := slog.New(slog.DiscardHandler)
		if i == 0 {
			out = slog.New(slog.NewTextHandler(&log, nil))
		}
		wg.Go(func() {
			if _, err := opened(t, store, lost, out); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	runs := activeRuns(t, mustOpen(t, store, lost))
	if len(runs) != 1 || runs[0].Reason == "" || runs[0].Host != "" || runs[0].Refetch {
		t.Errorf("runs %+v", runs)
	}
	if strings.Count(log.String(), "rebuild begun") > 1 {
		t.Errorf("log: %s", log.String())
	}
}

// A19: a lost index that had entries alone is filled, too, and the entries are found again.
func TestA19LostIndexHasEntriesAgain(t *testing.T) {
	store, dir := mem.New(time.Now), t.TempDir()
	first := mustOpen(t, store, filepath.Join(dir, "index.db"))
	in := entry.Fields{"source": "notes", "clean_text": "High water at noon."}
	res, err := first.Entries.In(entries.Production).Insert(t.Context(), in)
	if err := errors.Join(err, first.Entries.Flush(t.Context(), res)); err != nil {
		t.Fatal(err)
	}
	lost := mustOpen(t, store, filepath.Join(dir, "another.db"))
	runs := activeRuns(t, lost)
	if len(runs) != 1 {
		t.Fatalf("runs %+v", runs)
	}
	steps := store.Queue(rebuild.Queue)
	for range 3 {
		got, err := steps.Receive(t.Context(), 1, time.Minute)
		if err != nil || len(got) != 1 {
			break
		}
		if err := errors.Join(lost.Rebuilds.Step(t.Context(), got[0].Body), steps.Delete(t.Context(), got[0])); err != nil {
			t.Fatal(err)
		}
	}
	if res, err := lost.Index.Search(t.Context(), search.Query{Text: "water", Top: 1}); err != nil || res.Count != 1 {
		t.Errorf("found %+v (%v)", res, err)
	}
}

// A19: pages that were crawled while no index was configured are written to a later index by one run. The same holds
// for every further index.
func TestA19SearchServiceIsFilled(t *testing.T) {
	store, server := mem.New(time.Now), aisearch.New(t)
	on := func(set map[string]string) *handlers.Services {
		cfg, err := Load(env(set))
		if err != nil {
			t.Fatal(err)
		}
		index, err := openIndex(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Assemble(t.Context(), cfg, env(set), store, index, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		server.Refresh()
		return s
	}
	service := func(index string) map[string]string {
		return map[string]string{
			"WEBSITE_SITE_NAME": "func", "SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key, "SEARCH_INDEX": index,
		}
	}
	for _, step := range []struct {
		name string
		set  map[string]string
		runs int
	}{
		{"no index", map[string]string{"WEBSITE_SITE_NAME": "func"}, 0},
		{"an index", service("pages"), 1},
		{"the same", service("pages"), 1},
		{"another", service("other"), 2},
		{"the first again", service("pages"), 2},
	} {
		s := on(step.set)
		if runs := activeRuns(t, s); len(runs) != step.runs {
			t.Errorf("%s: runs %+v", step.name, runs)
		}
		if step.runs == 0 {
			registerOne(t, s)
		}
	}
}

// TestJ9SearchServiceWithoutFeed checks that a service that an older version filled is filled by one more run, because
// the store does not know yet what it holds.
func TestJ9SearchServiceWithoutFeed(t *testing.T) {
	store, server := mem.New(time.Now), aisearch.New(t)
	set := map[string]string{"SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key}
	cfg, err := Load(env(set))
	must(t, err)
	registerOne(t, mustOpen(t, store, filepath.Join(t.TempDir(), "index.db")))
	filled, err := openIndex(cfg, slog.New(slog.DiscardHandler))
	must(t, err)
	must(t, filled.Create(t.Context()))
	name, err := filled.(beginner).Begun(t.Context())
	must(t, err)
	must(t, filled.(beginner).Filled(t.Context(), name))
	server.Refresh()
	for range 2 {
		s, err := Assemble(t.Context(), cfg, env(set), store, filled, slog.New(slog.DiscardHandler))
		must(t, err)
		if runs := activeRuns(t, s); len(runs) != 1 {
			t.Errorf("runs %+v", runs)
		}
		if got, err := s.Index.Follow(t.Context(), search.FollowQuery{Top: 1}); err != nil || got.Copying {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A19: a search service that is down, or whose roles are not known yet, does not keep the app from starting. The
// index is created and filled at the first use. An index that belongs to another application does stop the start.
func TestA19SearchServiceComesLate(t *testing.T) {
	server := aisearch.New(t)
	set := map[string]string{"SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key, "SEARCH_INDEX": "pages"}
	cfg, err := Load(env(set))
	if err != nil {
		t.Fatal(err)
	}
	index, err := openIndex(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New(time.Now)
	registerOne(t, mustOpen(t, store, filepath.Join(t.TempDir(), "index.db")))
	server.Fail(aisearch.Fault{Op: "get", Status: http.StatusForbidden, Times: 1})
	s, err := Assemble(t.Context(), cfg, env(set), store, index, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Index.Count(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("right after: %v", err)
		}
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("the service was asked %d times", n)
	}
	s.Index.(*lazyIndex).tried = time.Time{} // half a minute later
	if n, err := s.Index.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("later: %d, %v", n, err)
	}
	if runs := activeRuns(t, s); len(runs) != 1 {
		t.Errorf("runs %+v", runs)
	}
	if _, err := index.Search(t.Context(), search.Query{Text: "x", Top: 1}); err != nil {
		t.Error(err)
	}
}

// A25: an index with vectors of another length stops the start.
func TestA25IndexOfAnotherKind(t *testing.T) {
	server := aisearch.New(t)
	set := map[string]string{"SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key}
	for _, dimensions := range []string{"3", "4"} {
		set["SEARCH_VECTOR_DIMENSIONS"] = dimensions
		cfg, err := Load(env(set))
		if err != nil {
			t.Fatal(err)
		}
		index, err := openIndex(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Assemble(t.Context(), cfg, env(set), mem.New(time.Now), index, slog.New(slog.DiscardHandler))
		if fault.Is(err, fault.Invalid) != (dimensions == "4") {
			t.Errorf("%s dimensions: %v", dimensions, err)
		}
	}
}

// A start that dies at any operation, before or after its effect, leaves an index that the next start fills with one
// run.
func TestLostIndexUnderFaults(t *testing.T) {
	t.Parallel() // it mostly waits
	operations := startWithFault(t, 0, false)
	if operations < 5 {
		t.Fatalf("only %d operations", operations)
	}
	for nth := range operations {
		startWithFault(t, nth+1, false)
		startWithFault(t, nth+1, true)
	}
}

// startWithFault makes the nth operation and all later ones fail, and counts the operations.
func startWithFault(t *testing.T, nth int, after bool) (operations int) {
	t.Helper()
	store, path := mem.New(time.Now), filepath.Join(t.TempDir(), "index.db")
	registerOne(t, mustOpen(t, store, path))
	died := errors.New("the process died")
	var mu sync.Mutex
	dead := false
	broken := storagetest.Hooked(store, storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			mu.Lock()
			defer mu.Unlock()
			operations++
			if dead || operations == nth && !after {
				dead = true
				return died
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			mu.Lock()
			defer mu.Unlock()
			if operations == nth && after {
				dead = true
				return died
			}
			return err
		},
	})
	_, _ = opened(t, broken, path+"2", slog.New(slog.DiscardHandler))
	if runs := activeRuns(t, mustOpen(t, store, path+"2")); len(runs) != 1 {
		t.Errorf("operation %d, after %v: %d runs", nth, after, len(runs))
	}
	return operations
}
