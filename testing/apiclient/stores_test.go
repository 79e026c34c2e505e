package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
)

// TestJ9Stores keeps the stores of the examples in step with the real program: pages come, change and go, the program
// is restarted, and its index is lost. Each time the stores hold what the index holds, and vectors of chunks that did
// not change are not computed again.
func TestJ9Stores(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	exe, port := programtest.Build(t), freePort(t)
	s := &stores{T: t, exe: exe, server: "http://127.0.0.1:" + port, dir: t.TempDir(),
		folder: installed(t, "stores", "*.mjs")}
	site := newTides(t, "ebb", "flood", "slack")
	data := t.TempDir()
	client, stop := startTidemark(t, exe, port, data)
	ids := map[string]string{}
	for _, name := range []string{"ebb", "flood", "slack"} {
		item, err := api.AddURL.Call(t.Context(), client, api.AddURLRequest{URL: site.URL + "/" + name})
		must(t, err)
		ids[name] = item.ID
	}
	s.inStep("three pages", client, "as ebb was", "as flood was", "as slack was")

	site.set("ebb", "as ebb is")
	_, err := api.ReindexItem.Call(t.Context(), client, api.ReindexRequest{ID: ids["ebb"]})
	must(t, err)
	_, err = api.RemoveItem.Call(t.Context(), client, api.ItemID{ID: ids["slack"]})
	must(t, err)
	stop()
	client, stop = startTidemark(t, exe, port, data)
	_, before := s.rows("store.json")
	s.inStep("an edit, a removal and a restart", client, "as ebb is", "as flood was")
	_, after := s.rows("store.json")
	same := 0
	for id, vector := range after {
		if slices.Equal(before[id], vector) {
			same++
		}
	}
	if same < 3 { // the second part of ebb, and both of flood
		t.Errorf("%d of %d vectors are as before", same, len(after))
	}

	stop()
	client, _ = startTidemark(t, exe, port, t.TempDir()) // which does not know the cursors
	_, err = api.AddURL.Call(t.Context(), client, api.AddURLRequest{URL: site.URL + "/ebb"})
	must(t, err)
	s.inStep("another index", client, "as ebb is")
	for _, name := range []string{"pgvector.mjs", "langchain.mjs"} {
		text, err := os.ReadFile(filepath.Join(integrations, "stores", name))
		if n := bytes.Count(text, []byte("\n")); err != nil || n > 60 {
			t.Errorf("%s has %d lines (%v), want 60 at most", name, n, err)
		}
	}
}

// stores are the stores of the examples, in dir.
type stores struct {
	*testing.T
	exe, server, dir, folder string
}

// row is what a store has of a chunk.
type row struct {
	Text, Hash, URL string
}

// inStep runs the examples after the index has all texts and no others, and compares the stores with the index.
func (s *stores) inStep(what string, client *api.Client, texts ...string) {
	s.Helper()
	var want map[string]row
	eventually(s.T, "the index has "+strings.Join(texts, ", "), func() bool {
		want = indexOf(s.T, client)
		all := ""
		for r := range maps.Values(want) {
			all += r.Text
		}
		for _, text := range texts {
			if !strings.Contains(all, text) {
				return false
			}
		}
		return strings.Count(all, "as ") == len(texts)
	})
	s.runs("node", "pgvector.mjs", filepath.Join(s.dir, "pg"))
	s.runs(s.exe, "sync", "--once", "--cursor", filepath.Join(s.dir, "cursor"), "--exec", "node", "langchain.mjs",
		filepath.Join(s.dir, "store.json"))
	for name, read := range map[string]func() (map[string]row, map[string][]float64){"pgvector": s.pgRows,
		"LangChain": func() (map[string]row, map[string][]float64) { return s.rows("store.json") }} {
		have, vectors := read()
		if !maps.Equal(want, have) {
			s.Errorf("%s: %s has\n%+v\nthe index has\n%+v", what, name, have, want)
		}
		for id := range have {
			if len(vectors[id]) == 0 {
				s.Errorf("%s: %s: %s has no vector", what, name, id)
			}
		}
	}
}

// indexOf returns the chunks that the index holds.
func indexOf(t *testing.T, client *api.Client) map[string]row {
	t.Helper()
	all := map[string]row{}
	for since := ""; ; {
		page, err := api.FollowChunks.Call(t.Context(), client, api.ChunkQuery{Since: since})
		must(t, err)
		for _, c := range page.Changes {
			switch c.Op {
			case api.ChunkUpsert:
				all[c.ChunkID] = row{Text: c.Text, Hash: c.Hash, URL: c.URL}
			case api.ChunkDelete:
				delete(all, c.ChunkID)
			}
		}
		if since = page.Cursor; len(page.Changes) == 0 && !page.Copying {
			return all
		}
	}
}

// runs runs a program in the folder of the examples.
func (s *stores) runs(command ...string) []byte {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = s.folder, append(os.Environ(), "TIDEMARK_SERVER="+s.server, "TIDEMARK_KEY=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return out
}

// rows reads the store of LangChain, and its vectors.
func (s *stores) rows(name string) (all map[string]row, vectors map[string][]float64) {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	must(s.T, err)
	var held [][2]json.RawMessage
	must(s.T, json.Unmarshal(text, &held))
	all, vectors = map[string]row{}, map[string][]float64{}
	for _, one := range held {
		var id string
		var r struct {
			Vector   []float64
			Document struct {
				PageContent string
				Metadata    struct{ Hash, URL string }
			}
		}
		must(s.T, json.Unmarshal(one[0], &id))
		must(s.T, json.Unmarshal(one[1], &r))
		all[id] = row{r.Document.PageContent, r.Document.Metadata.Hash, r.Document.Metadata.URL}
		vectors[id] = r.Vector
	}
	return all, vectors
}

// pgRows reads the table of pgvector, and its vectors.
func (s *stores) pgRows() (all map[string]row, vectors map[string][]float64) {
	s.Helper()
	const driver = `import { PGlite } from "@electric-sql/pglite";
		import { vector } from "@electric-sql/pglite-pgvector";
		const db = await PGlite.create({ dataDir: process.argv[1], extensions: { vector } });
		const { rows } = await db.query("select id, text, hash, url, embedding::text as vector from chunks");
		console.log(JSON.stringify({
			all: Object.fromEntries(rows.map((r) => [r.id, { Text: r.text, Hash: r.hash, URL: r.url }])),
			vectors: Object.fromEntries(rows.map((r) => [r.id, JSON.parse(r.vector)])) }));
		await db.close();
		process.exit(0);`
	var read struct {
		All     map[string]row
		Vectors map[string][]float64
	}
	must(s.T, json.Unmarshal(s.runs("node", "--input-type=module", "-e", driver, filepath.Join(s.dir, "pg")), &read))
	return read.All, read.Vectors
}

// tides is a site whose pages can be edited.
type tides struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
}

func newTides(t *testing.T, names ...string) *tides {
	s := &tides{pages: map[string]string{}}
	for _, name := range names {
		s.pages[name] = "as " + name + " was"
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		name := strings.TrimPrefix(r.URL.Path, "/")
		text, found := s.pages[name]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "<html lang=en><title>Tides: "+name+"</title><main><h1>Tides: "+name+
			"</h1><p>High water at the harbour is "+text+".</p><h2>Where "+name+
			" is measured</h2><p>The gauge stands at the pier, and the float in it is calibrated every spring.</p></main>")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *tides) set(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[name] = text
}

// startTidemark starts the program with a data folder. The function stop ends it, as the end of the test does.
func startTidemark(t *testing.T, exe, port, data string) (client *api.Client, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, "start", "--port", port, "--data", data)
	cmd.Env = append(os.Environ(), "CRAWL_ALLOW_HOSTS=127.0.0.1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	must(t, cmd.Start())
	stop = sync.OnceFunc(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("tidemark start:\n%s", &said)
		}
	})
	t.Cleanup(stop)
	server := "http://127.0.0.1:" + port
	eventually(t, "it answers", func() bool {
		h, err := api.GetHealth.Call(ctx, api.NewClient(server, "", nil), api.None{})
		return err == nil && h.Status == "ok"
	})
	return keyfile.Client(os.Getenv, server), stop
}
