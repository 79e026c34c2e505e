package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

var followKills = flag.Int("follow.kills", 4, "how often TestJ9CopyFollowsThroughKills kills the program")

// TestJ9CopyFollowsThroughKills changes pages, entries and tags at random, kills the program in the middle, and checks
// that a copy that follows the feed of chunks equals the index.
func TestJ9CopyFollowsThroughKills(t *testing.T) {
	w := newFollowedWorld(t)
	for round := range 3 * *followKills {
		for range 1 + w.rng.IntN(6) {
			w.act()
		}
		if round%3 == 2 {
			time.Sleep(time.Duration(w.rng.IntN(300)) * time.Millisecond)
			w.kill()
		}
		w.compare(fmt.Sprintf("round %d", round))
	}
	w.settle()
	w.compare("at the end")
}

// followedWorld is a site, a program that watches it, and a copy of its chunks.
type followedWorld struct {
	t    *testing.T
	rng  *rand.Rand
	exe  string
	home string
	port int
	run  *exec.Cmd
	site *httptest.Server
	api  *api.Client

	mu    sync.Mutex // guards pages
	pages map[string]*followedPage

	cursor string
	copy   map[string]api.ChunkChange
	named  map[string]bool // nil once the copy is complete
}

type followedPage struct {
	added, noindex bool
	text           [3]int
	canonical      string
}

func newFollowedWorld(t *testing.T) *followedWorld {
	w := &followedWorld{t: t, rng: rand.New(rand.NewPCG(3, uint64(*followKills))), exe: programtest.Build(t),
		home: t.TempDir(), port: foldertest.FreePort(t), pages: map[string]*followedPage{},
		copy: map[string]api.ChunkChange{}, named: map[string]bool{}}
	w.site = httptest.NewServer(w)
	t.Cleanup(w.site.Close)
	w.site.URL = strings.Replace(w.site.URL, "127.0.0.1", "localhost", 1)
	for i := range 10 {
		w.pages[fmt.Sprintf("/p%d", i)] = &followedPage{}
	}
	w.api = api.NewClient("http://localhost:"+strconv.Itoa(w.port), "", nil)
	w.start()
	t.Cleanup(func() { _ = w.run.Process.Kill(); _ = w.run.Wait() })
	return w
}

func (w *followedWorld) start() {
	w.run = exec.Command(w.exe, "start", "--port", strconv.Itoa(w.port), "--no-input")
	w.run.Dir = w.home
	w.run.Env = append(os.Environ(), "API_KEYS_REQUIRED=false", "CRAWL_ALLOW_HOSTS=localhost", "CRAWL_DELAY=0s",
		"TIDEMARK_DATA="+filepath.Join(w.home, "data"))
	if err := w.run.Start(); err != nil {
		w.t.Fatal(err)
	}
	becomesWell(w.t, w.port)
}

// kill kills the program and starts it again, sometimes without its index, as after a restore.
func (w *followedWorld) kill() {
	_ = w.run.Process.Kill()
	_ = w.run.Wait()
	if w.rng.IntN(4) == 0 {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(filepath.Join(w.home, "data", "index.db") + suffix)
		}
	}
	w.start()
}

func (w *followedWorld) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pages[r.URL.Path]
	if p == nil {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	head := ""
	if p.noindex {
		head += "<meta name=robots content=noindex>"
	}
	if p.canonical != "" {
		head += "<link rel=canonical href='" + p.canonical + "'>"
	}
	fmt.Fprintf(out, "<html lang=en><title>Page %s</title>%s<main><h1>Page %s</h1>", r.URL.Path, head, r.URL.Path)
	for i, state := range p.text {
		fmt.Fprintf(out, "<h2>Part %d</h2><p>%s</p>", i,
			strings.Repeat(fmt.Sprintf("Part %d of %s is in its state %d. ", i, r.URL.Path, state), 9))
	}
	fmt.Fprint(out, "</main>")
}

func (w *followedWorld) page() (path string, p *followedPage) {
	path = fmt.Sprintf("/p%d", w.rng.IntN(len(w.pages)))
	return path, w.pages[path]
}

// act changes something. Whatever a program that is being killed answers, the world has changed.
func (w *followedWorld) act() {
	ctx := w.t.Context()
	path, p := w.page()
	url := w.site.URL + path
	w.mu.Lock()
	switch w.rng.IntN(8) {
	case 0, 1, 2:
		p.text[w.rng.IntN(3)] = w.rng.IntN(4)
	case 3:
		p.noindex = !p.noindex
	case 4: // a copy of another page stands behind it
		other, of := w.page()
		if p.canonical = ""; other != path && of.canonical == "" {
			p.canonical, p.text = other, of.text
		}
	}
	w.mu.Unlock()
	if !p.added {
		_, err := api.AddURL.Call(ctx, w.api, api.AddURLRequest{URL: url})
		p.added = w.done(err)
		return
	}
	switch w.rng.IntN(12) {
	case 0:
		_, err := api.RemoveItem.Call(ctx, w.api, api.ItemID{ID: idOf(w.t, url)})
		p.added = !w.done(err)
	case 1:
		tags := api.ItemPatch{ID: idOf(w.t, url)}
		tags.Tags = [][]string{{"red"}, {"red", "blue"}, {"blue"}}[w.rng.IntN(3)]
		_, err := api.PatchItem.Call(ctx, w.api, tags)
		w.done(err)
	case 2:
		_, err := api.StartRebuild.Call(ctx, w.api, api.RebuildRequest{})
		w.done(err)
	case 3:
		_, err := api.InsertEntry.Call(ctx, w.api, api.Entry{Source: "webpage", Title: "Note",
			ExtractedText: fmt.Sprintf("Note %d about %s.", w.rng.IntN(20), path)})
		w.done(err)
	default:
		_, err := api.ReindexItem.Call(ctx, w.api, api.ReindexRequest{Source: url, Force: true})
		w.done(err)
	}
}

// done reports whether a request succeeded. What is refused because of another request is no fault here.
func (w *followedWorld) done(err error) bool {
	if problem, ok := errors.AsType[*api.Problem](err); ok && problem.Status < 500 && problem.Status != 400 {
		return false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return true
}

// settle asks for a check of each page, and waits until the copy has what the pages say.
func (w *followedWorld) settle() {
	for range 2 { // an alias is believed at the second check
		for path, p := range w.pages {
			if p.canonical = ""; p.added {
				_, err := api.ReindexItem.Call(w.t.Context(), w.api, api.ReindexRequest{Source: w.site.URL + path, Force: true})
				w.done(err)
			}
		}
		time.Sleep(2 * time.Second)
	}
	for range 3000 {
		w.follow()
		wrong := 0
		for path, p := range w.pages {
			if texts := w.texts()[w.site.URL+path]; (len(texts) > 0) != (p.added && !p.noindex) {
				wrong++
			}
		}
		if wrong == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.t.Error("the copy lacks pages, or has some that have left the index")
}

// texts returns the copy by the addresses of pages.
func (w *followedWorld) texts() map[string][]string {
	texts := map[string][]string{}
	for _, c := range w.copy {
		texts[c.URL] = append(texts[c.URL], c.Text)
	}
	return texts
}

// compare checks that the copy equals the index, at a moment at which the index does not change.
func (w *followedWorld) compare(when string) {
	w.t.Helper()
	w.follow()
	for range 3000 {
		want := w.index()
		if w.follow() > 0 { // written meanwhile
			continue
		}
		if w.named != nil { // the index is being filled
			time.Sleep(100 * time.Millisecond)
			continue
		}
		have := map[string]string{}
		for key, c := range w.copy {
			have[key] = strings.Join([]string{c.ItemID + c.EntryID, c.URL, c.Title, strings.Join(c.Tags, ","), c.Text}, "|")
		}
		if diff := cmp.Diff(want, have); diff != "" {
			w.t.Fatalf("%s (-index +copy):\n%s", when, diff)
		}
		return
	}
	w.t.Fatalf("%s: the index does not come to rest", when)
}

// index reads what the file of the index holds.
func (w *followedWorld) index() map[string]string {
	ix, err := sqlitesearch.Open(filepath.Join(w.home, "data", "index.db"), sqlitesearch.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer ix.Close()
	ids, err := ix.IDs(w.t.Context(), "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	held := map[string]string{}
	for _, id := range ids {
		p, err := ix.Page(w.t.Context(), id)
		if err != nil {
			continue // it has left meanwhile, and the copy will say so
		}
		for _, c := range p.Chunks {
			held[search.BaseKey(c.Key)] = strings.Join([]string{p.ID, p.URL, p.Title, strings.Join(p.Tags, ","), c.Text}, "|")
		}
	}
	return held
}

// follow applies what is new, and returns how many changes that were.
func (w *followedWorld) follow() (applied int) {
	for {
		got, err := api.FollowChunks.Call(context.Background(), w.api, api.ChunkQuery{Since: w.cursor, Top: 7})
		if problem, ok := errors.AsType[*api.Problem](err); ok && problem.Status == http.StatusGone && w.cursor != "" {
			w.cursor, w.named = "", map[string]bool{}
			continue
		}
		if err != nil {
			w.t.Fatal(err)
		}
		for _, c := range got.Changes {
			w.apply(c)
		}
		if w.named != nil && !got.Copying {
			maps.DeleteFunc(w.copy, func(key string, _ api.ChunkChange) bool { return !w.named[key] })
			w.named = nil
		}
		if applied += len(got.Changes); got.Cursor == w.cursor {
			return applied
		}
		w.cursor = got.Cursor
	}
}

func (w *followedWorld) apply(c api.ChunkChange) {
	switch c.Op {
	case api.ChunkUpsert:
		w.copy[c.ChunkID] = c
		if w.named != nil {
			w.named[c.ChunkID] = true
		}
	case api.ChunkDelete:
		delete(w.copy, c.ChunkID)
	case api.ChunkDeleteItem:
		maps.DeleteFunc(w.copy, func(_ string, had api.ChunkChange) bool {
			return had.ItemID == c.ItemID && had.EntryID == c.EntryID
		})
	}
}
