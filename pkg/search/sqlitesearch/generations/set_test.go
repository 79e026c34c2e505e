package generations

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// wordsModel is a model whose vectors come from a hash of the text and of its name. It stands for a service that cannot
// run here.
type wordsModel struct {
	name string
	down *atomic.Bool
}

func (m wordsModel) Model() string  { return m.name }
func (m wordsModel) Dimension() int { return 4 }

func (m wordsModel) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.down.Load() {
		return make([][]float32, len(texts)), fault.New(fault.Unavailable, "the model is down")
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New64()
		fmt.Fprint(h, m.name, text)
		for j := range 4 {
			out[i] = append(out[i], float32(h.Sum64()>>(8*j)&0xff)-100)
		}
	}
	return out, nil
}

// rig is a folder with generations, whose process may die.
type rig struct {
	*testing.T
	folder string
	model  string
	words  int // sqlitesearch.Words of the program
	down   map[string]*atomic.Bool
	set    *Set
}

func newRig(t *testing.T, model string) *rig {
	r := &rig{T: t, folder: t.TempDir(), model: model, words: sqlitesearch.Words,
		down: map[string]*atomic.Bool{"a": {}, "b": {}}}
	r.start()
	t.Cleanup(func() { _ = r.set.Close() })
	return r
}

func (r *rig) start() {
	r.Helper()
	models := func(name string) (queries, texts llm.Embedder) {
		m := wordsModel{name, r.down[name]}
		return m, m
	}
	var err error
	if r.set, err = openWith(r.folder, r.model, r.words, nil); err != nil {
		r.Fatal(err)
	}
	r.set.Use(models)
	r.must(r.set.Create(r.Context()))
}

func (r *rig) restart(model string) {
	r.Helper()
	r.must(r.set.Close())
	r.model = model
	r.start()
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// put writes a page as a worker does: with vectors of the model that is current when it begins.
func (r *rig) put(p search.Page) {
	r.Helper()
	r.must(r.set.Embed(r.Context(), &p))
	r.must(r.set.Put(r.Context(), p))
}

func (r *rig) fill() {
	r.Helper()
	name, err := r.set.Begun(r.Context())
	r.must(err)
	r.must(r.set.Filled(r.Context(), name))
}

func (r *rig) advance() {
	r.Helper()
	_, err := r.set.Advance(r.Context())
	r.must(err)
}

func (r *rig) states() (states []State) {
	r.Helper()
	all, err := r.set.List(r.Context())
	r.must(err)
	for _, g := range all {
		states = append(states, g.State)
	}
	return states
}

func page(rng *rand.Rand, i int) search.Page {
	p := search.Page{ID: fmt.Sprintf("url_%d", i), URL: fmt.Sprintf("https://a.test/%d", i), Host: "a.test", Type: "page",
		Title: fmt.Sprintf("Tides %d", rng.IntN(2)), IndexedAt: time.Now(), ChangedAt: time.Now(), Group: "g", Content: "c"}
	for j := range 1 + rng.IntN(4) {
		text := fmt.Sprintf("harbour %d part %d state %d", i, j, rng.IntN(3))
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprintf("chunk-%dx%dx%s", i, j, text[len(text)-1:]), UID: text,
			Heading: "Tides › Today", Text: text})
	}
	if rng.IntN(2) == 0 {
		p.Images = []search.Image{{ID: "i1", Src: "https://a.test/1.png", Alt: "a buoy"}}
	}
	return p
}

// TestJ10NewModelWithoutOutage changes the model while pages are written, read and removed, and while the process dies.
// The index never lacks a page that it had, and a follower's copy stays equal to the index across takeovers.
func TestJ10NewModelWithoutOutage(t *testing.T) {
	r := newRig(t, "a")
	rng := rand.New(rand.NewPCG(4, 2))
	held := map[string]bool{}
	write := func() {
		i := rng.IntN(60)
		if p := page(rng, i); rng.IntN(6) == 0 {
			r.must(r.set.Remove(t.Context(), p.ID, nil))
			delete(held, p.ID)
		} else {
			r.put(p)
			held[p.ID] = true
		}
	}
	for range 300 {
		write()
	}
	r.fill()
	follower := searchtest.NewCopy(search.FollowQuery{Top: 9})
	check := func(when string) {
		t.Helper()
		ids, err := r.set.IDs(t.Context(), "", 1000)
		r.must(err)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(held)), ids); diff != "" {
			t.Fatalf("%s: pages (-held +index):\n%s", when, diff)
		}
		found, err := r.set.Search(t.Context(), search.Query{Text: "harbour", Top: 1, Now: time.Now()})
		if err != nil || found.Index == "" || found.Count == 0 {
			t.Fatalf("%s: %+v, %v", when, found, err)
		}
		r.must(follower.Follow(t.Context(), r.set))
		want, err := searchtest.TextsOf(t.Context(), r.set, search.FollowQuery{})
		r.must(err)
		if diff := cmp.Diff(want, follower.Texts()); diff != "" {
			t.Fatalf("%s: copy (-index +copy):\n%s", when, diff)
		}
	}
	check("before")
	for turn, model := range []string{"b", "a", "", "b"} {
		r.restart(model)
		for step := 0; r.set.current.model() != model; step++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(30))*time.Millisecond)
			_, err := r.set.Advance(ctx)
			cancel()
			write()
			check(fmt.Sprintf("turn %d, step %d, %v", turn, step, err))
			if rng.IntN(4) == 0 {
				r.restart(model)
			}
		}
		if got := r.states(); !slices.Equal(got, []State{Current, Previous}) {
			t.Fatalf("after the takeover: %v", got)
		}
	}
	if begins := follower.Begins(); begins != 1 {
		t.Errorf("the follower had to begin %d times", begins)
	}
}

// TestJ10NewAnalysisOfWords starts a program that analyses words otherwise: a generation is built beside the one that
// answers, and takes over. Followers have nothing to do. A person can go back, and a still newer program begins again.
func TestJ10NewAnalysisOfWords(t *testing.T) {
	r := newRig(t, "a")
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range 100 {
		r.put(page(rng, i))
	}
	r.fill()
	cursor, events := "", []search.Event{{}}
	for len(events) > 0 {
		found, err := r.set.Follow(t.Context(), search.FollowQuery{Since: cursor, Top: 50})
		r.must(err)
		cursor, events = found.Cursor, found.Events
	}
	states := func(want ...State) {
		t.Helper()
		r.advance()
		if got := r.states(); !slices.Equal(got, want) {
			t.Errorf("states %v, want %v", got, want)
		}
	}
	states(Current)
	r.words++
	r.restart("a")
	states(Current, Previous)
	found, err := r.set.Follow(t.Context(), search.FollowQuery{Since: cursor, Top: 50})
	r.must(err)
	if len(found.Events) != 1 || !slices.Equal(found.Events[0].Takeover.Differs, []string{search.DiffersWords}) {
		t.Errorf("a follower is told %+v", found.Events)
	}
	all, err := r.set.List(t.Context())
	r.must(err)
	if all[0].Words != r.words || all[0].Model != "a" || !strings.Contains(all[0].Why, "analyses words") {
		t.Errorf("%+v", all[0])
	}
	_, err = r.set.Rollback(t.Context(), all[1].ID)
	r.must(err)
	r.restart("a")
	states(Current, Previous)
	if all, err = r.set.List(t.Context()); err != nil || all[0].Words != r.words-1 {
		t.Errorf("what a person decided does not hold: %+v, %v", all, err)
	}
	r.words++
	r.restart("a")
	r.advance()
	states(Current, Previous)
	if all, err = r.set.List(t.Context()); err != nil || all[0].Words != r.words {
		t.Errorf("a newer program: %+v, %v", all, err)
	}
}

// TestJ10ByAPerson compares, switches and rolls back a generation that a person begins.
func TestJ10ByAPerson(t *testing.T) {
	r := newRig(t, "a")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 40 {
		r.put(page(rng, i))
	}
	r.fill()
	r.down["b"].Store(true)
	g, err := r.set.Begin(t.Context(), "b", ByPerson, "a trial")
	r.must(err)
	if _, err := r.set.Switch(t.Context(), g.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("a switch before it is whole: %v", err)
	}
	if _, err := r.set.Begin(t.Context(), "b", ByPerson, "another"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second one: %v", err)
	}
	r.down["b"].Store(false)
	r.set.advancing.Lock() // what goes on by itself has ended
	r.set.advancing.Unlock()
	r.advance()
	if got := r.states(); !slices.Equal(got, []State{Current, Whole}) {
		t.Fatalf("after copying: %v", got)
	}
	same, err := r.set.Compare(t.Context(), g.ID, []string{"harbour 7"}, 5)
	if err != nil || len(same) != 1 || len(same[0].Current) == 0 || len(same[0].This) == 0 {
		t.Errorf("compared: %+v, %v", same, err)
	}
	_, err = r.set.Switch(t.Context(), g.ID)
	r.must(err)
	r.put(page(rng, 99))
	r.must(r.set.Remove(t.Context(), "url_3", nil))
	_, err = r.set.Rollback(t.Context(), "g1")
	r.must(err)
	ids, err := r.set.IDs(t.Context(), "", 100)
	if err != nil || !slices.Contains(ids, "url_99") || slices.Contains(ids, "url_3") {
		t.Errorf("after the rollback: %v, %v", ids, err)
	}
	r.advance()
	if got := r.set.current.model(); got != "a" {
		t.Errorf("what a person has chosen was changed to %q", got)
	}
	r.must(r.set.Drop(g.ID))
	if _, err := os.Stat(filepath.Join(r.folder, "index-g2.db")); err == nil {
		t.Error("the file is still there")
	}
	if got := r.states(); !slices.Equal(got, []State{Current}) {
		t.Errorf("at the end: %v", got)
	}
	r.restart("b")
	r.advance()
	if got := r.set.current.model(); got != "b" {
		t.Errorf("the settings name b, and the model is %q", got)
	}
}

// TestJ10FormerModelIsDown checks that the former generation answers by words while its model does not, that it still
// takes pages, and that a new model that does not answer holds nothing up.
func TestJ10FormerModelIsDown(t *testing.T) {
	r := newRig(t, "a")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 10 {
		r.put(page(rng, i))
	}
	r.fill()
	r.restart("b")
	r.down["a"].Store(true)
	r.down["b"].Store(true)
	if _, err := r.set.Advance(t.Context()); err == nil {
		t.Error("the new model does not answer, and nobody says so")
	}
	r.put(page(rng, 50))
	found, err := r.set.Search(t.Context(), search.Query{Text: "harbour", Top: 50, Now: time.Now()})
	if err != nil || len(found.Results) == 0 || found.Note == "" {
		t.Errorf("%d results, note %q, %v", len(found.Results), found.Note, err)
	}
	if all, err := r.set.List(t.Context()); err != nil || len(all) != 2 || all[1].Trouble == "" {
		t.Errorf("%+v, %v", all, err)
	}
	r.down["b"].Store(false)
	r.advance()
	if got := r.set.current.model(); got != "b" {
		t.Errorf("the model is %q", got)
	}
}

// TestJ10AskedAllTheTime asks from several goroutines while generations are built and switched. Each answer is that of
// one generation, and has all pages.
func TestJ10AskedAllTheTime(t *testing.T) {
	r := newRig(t, "a")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		p := page(rng, i)
		p.Group = "" // each is a result
		r.put(p)
	}
	r.fill()
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for ctx.Err() == nil {
				found, err := r.set.Search(t.Context(), search.Query{Text: "harbour", Top: 100, Now: time.Now()})
				if err != nil || found.Count != 30 {
					t.Errorf("%d pages, %v", found.Count, err)
					return
				}
			}
		})
	}
	for range 3 {
		_, all := r.set.states()
		if len(all) > 1 {
			r.must(r.set.Drop(all[1].ID))
		}
		g, err := r.set.Begin(t.Context(), "b", ByPerson, "a trial")
		r.must(err)
		r.advance()
		_, err = r.set.Switch(t.Context(), g.ID)
		r.must(err)
		_, err = r.set.Rollback(t.Context(), all[0].ID)
		r.must(err)
	}
	stop()
	asking.Wait()
}
