package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// A25: an error names a setting that may be secret without its value.
func TestA25SecretsAreNotTold(t *testing.T) {
	for name, value := range map[string]string{
		"LITELLM_MASTER_KEY": "hunter2 \n",
		"OPENAI_BASE_URL":    "https://user:hunter2@models.example/v1",
	} {
		_, err := Load(env(map[string]string{name: value}))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	unresolved := map[string]string{"LITELLM_MASTER_KEY": "@Microsoft.KeyVault(SecretUri=https://kv.example/x)"}
	if _, err := Load(env(unresolved)); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unresolved reference: %v", err)
	}
	c, err := Load(env(map[string]string{"LITELLM_MASTER_KEY": "hunter2", "OPENAI_BASE_URL": "https://models.example/v1"}))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c.Models)
	asJSON, _ := json.Marshal(c.Models)
	if said := fmt.Sprintf("%v %+v %#v %s %s", c.Models, c.Models, c.Models, asJSON, log.String()); strings.Contains(said,
		"hunter2") {
		t.Error(said)
	}
}

// embedded opens a store and an index file as one process does, with or without a model.
func embedded(t *testing.T, store storage.Store, path string, settings map[string]string) *handlers.Services {
	t.Helper()
	cfg, err := Load(env(settings))
	if err != nil {
		t.Fatal(err)
	}
	index, err := sqlitesearch.Open(path, sqlitesearch.Options{Model: cfg.Models.Embeddings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	s, err := Assemble(t.Context(), cfg, env(settings), store, index, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// work runs the waiting jobs and the waiting steps of rebuilds.
func work(t *testing.T, s *handlers.Services) {
	t.Helper()
	for range 20 {
		if _, err := s.Registry.Jobs.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		jobs, steps := receive(t, s, registry.JobQueue), receive(t, s, "rebuild-steps")
		for _, body := range steps {
			if err := s.Rebuilds.Step(t.Context(), body); err != nil {
				t.Fatal(err)
			}
		}
		for _, body := range jobs {
			job, err := registry.ParseJob(body)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Worker.Process(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		}
		if len(jobs)+len(steps) == 0 {
			return
		}
	}
	t.Fatal("the work does not end")
}

func receive(t *testing.T, s *handlers.Services, queue string) (bodies [][]byte) {
	t.Helper()
	q := s.Store.Queue(queue)
	got, err := q.Receive(t.Context(), 32, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got {
		if err := q.Delete(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, m.Body)
	}
	return bodies
}

func finds(t *testing.T, s *handlers.Services, query string) int {
	t.Helper()
	res, err := s.Index.Search(t.Context(), search.Query{Text: query, Top: 10})
	if err != nil {
		t.Fatal(err)
	}
	return res.Count
}

// Pages are found by meaning once a model is configured. This includes earlier pages, whose snapshots are embedded,
// and queries that share no word with the page. While the service is down, search uses words only. Without a model,
// search works as before.
func TestSearchByMeaning(t *testing.T) {
	site, service := newPages(t), llmtest.NewServer(t, "tide-embed", 8)
	site.put("/p", "The lighthouse stands on the cape.")
	store, path := mem.New(time.Now), filepath.Join(t.TempDir(), "index.db")
	settings := map[string]string{"CRAWL_ALLOW_HOSTS": "127.0.0.1"}
	plain := embedded(t, store, path, settings)
	src, err := source.DefaultRules().ParseURL(site.URL + "/p")
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Registry.Items.Register(t.Context(), []source.Source{src},
		registry.RegisterOptions{})[0].Err; err != nil {
		t.Fatal(err)
	}
	work(t, plain)
	if finds(t, plain, "lighthouse") != 1 || finds(t, plain, "beacon") != 0 || service.Requests() != 0 {
		t.Fatal("without a model, words alone are searched")
	}

	settings["EMBEDDINGS_MODEL"] = "tide-embed"
	settings["OPENAI_BASE_URL"], settings["LITELLM_MASTER_KEY"] = service.URL, llmtest.Key
	s := embedded(t, store, path, settings)
	site.answers()
	work(t, s)
	if asked := site.answers(); len(asked) > 0 {
		t.Errorf("the site was asked for vectors' sake: %v", asked)
	}
	if texts := service.Texts(); !slices.Equal(texts, []string{"The lighthouse stands on the cape."}) {
		t.Errorf("embedded: %q", texts)
	}
	if finds(t, s, "beacon") != 1 {
		t.Error("a page is not found by its vector")
	}
	service.Break(llmtest.Status(401, ""))
	if finds(t, s, "lighthouse") != 1 || finds(t, s, "buoy") != 0 || finds(t, s, "beacon") != 1 { // the last is cached
		t.Error("without the service, words and former queries are searched")
	}
	delete(settings, "EMBEDDINGS_MODEL")
	if plain = embedded(t, store, path, settings); finds(t, plain, "lighthouse") != 1 || finds(t, plain, "beacon") != 0 {
		t.Error("without a model again, words alone are searched")
	}
}

// D8: with its settings an app describes entries, at once and by its timer. Without them enrichment is off and
// reported as off.
func TestD8Enrichment(t *testing.T) {
	model := llmtest.NewServer(t, "tide-chat", 8)
	path := filepath.Join(t.TempDir(), "index.db")
	store := mem.New(time.Now)
	off := embedded(t, store, path, nil)
	res, err := off.Entries.In(entries.Production).Insert(t.Context(),
		entry.Fields{"source": "notes", "clean_text": "The crane was moved."})
	if err != nil {
		t.Fatal(err)
	}
	id := res.Entry.Text("entry_id")
	if _, err := off.Enrich.Entry(t.Context(), "pkm", id); !fault.Is(err, fault.Blocked) {
		t.Errorf("without settings: %v", err)
	}
	s := embedded(t, store, path, map[string]string{
		"OPENAI_BASE_URL": model.URL, "LITELLM_MASTER_KEY": llmtest.Key, "T1_DEFAULT_MODEL": "tide-chat",
		"T1_BATCH_MODEL": "tide-chat",
	})
	if _, err := s.Enrich.Schedule(t.Context(), "pkm", []string{id}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := s.Enrich.Advance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	e, err := s.Entries.In(entries.Production).Get(t.Context(), id)
	if err != nil || e.Text("tier1_status") != "enriched" || e.Text("gist") == "" {
		t.Errorf("%v %v", e, err)
	}
	if have, err := s.Enrich.Entry(t.Context(), "pkm", id); err != nil || have.Fields.Gist != e.Text("gist") ||
		len(model.Asked()) != 1 {
		t.Errorf("%+v %v, asked %d times", have, err, len(model.Asked()))
	}
}
