package searchtest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Follow is the part of the suite about what an index tells its followers.
func Follow(t *testing.T, open func(t *testing.T) search.Index) {
	for name, test := range map[string]func(*followSuite){
		"random writes": (*followSuite).follow,
		"again":         (*followSuite).followAgain,
	} {
		t.Run(name, func(t *testing.T) {
			s := &followSuite{T: t, ix: open(t)}
			s.must(s.ix.Create(t.Context()))
			test(s)
		})
	}
}

// followSuite is one test of [Follow] with its index.
type followSuite struct {
	*testing.T
	ix search.Index
}

// A Copy holds what a follower of an index knows, by the keys of chunks.
type Copy struct {
	q      search.FollowQuery
	chunks map[string]search.Event
	named  map[string]bool // what was named since the copy began; nil once it is complete
	begins int
}

// NewCopy returns a copy that follows the pages that match the query.
func NewCopy(q search.FollowQuery) *Copy {
	return &Copy{q: q, chunks: map[string]search.Event{}, named: map[string]bool{}}
}

// Follow applies all that is new in the index. If the cursor has expired, the copy begins again.
func (c *Copy) Follow(ctx context.Context, ix search.Index) error {
	for {
		if c.q.Since == "" {
			c.begins++
		}
		got, err := ix.Follow(ctx, c.q)
		if fault.Is(err, fault.Expired) && c.q.Since != "" {
			c.q.Since, c.named = "", map[string]bool{}
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range got.Events {
			c.apply(e)
		}
		if c.named != nil && !got.Copying {
			maps.DeleteFunc(c.chunks, func(key string, _ search.Event) bool { return !c.named[key] })
			c.named = nil
		}
		if got.Cursor == c.q.Since {
			return nil
		}
		c.q.Since = got.Cursor
	}
}

// Begins returns how often the copy had to begin.
func (c *Copy) Begins() int { return c.begins }

func (c *Copy) apply(e search.Event) {
	switch e.Op {
	case search.OpPut:
		c.chunks[e.Chunk.Key] = e
		if c.named != nil {
			c.named[e.Chunk.Key] = true
		}
	case search.OpDelete:
		delete(c.chunks, e.Chunk.Key)
	case search.OpDeletePage:
		maps.DeleteFunc(c.chunks, func(_ string, had search.Event) bool { return had.Page.ID == e.Page.ID })
	}
}

// Texts returns the texts of the copy with what is given with them, by the keys of chunks.
func (c *Copy) Texts() map[string]string {
	texts := map[string]string{}
	for key, e := range c.chunks {
		texts[key] = followedText(e.Page, e.Chunk)
	}
	return texts
}

func followedText(p search.Page, c search.Chunk) string {
	return strings.Join([]string{p.ID, p.URL, p.Title, p.Language, strings.Join(p.Tags, ","),
		c.UID, c.Heading, c.Anchor, c.Zone, c.Text}, "|")
}

// TextsOf returns what a copy of the pages that match a query must hold, as [Copy.Texts] does.
func TextsOf(ctx context.Context, ix search.Index, q search.FollowQuery) (map[string]string, error) {
	texts := map[string]string{}
	ids, err := ix.IDs(ctx, "", 1000)
	for _, id := range ids {
		p, err := ix.Page(ctx, id)
		if err != nil {
			return nil, err
		}
		if q.Host != "" && p.Host != q.Host || q.Tag != "" && !slices.Contains(p.Tags, q.Tag) {
			continue
		}
		for _, c := range p.Chunks {
			texts[c.Key] = followedText(p, c)
		}
	}
	return texts, err
}

// follow applies random writes to an index, and compares copies of it that follow in steps of different sizes.
func (s *followSuite) follow() {
	rng := rand.New(rand.NewPCG(7, 9))
	queries := []search.FollowQuery{{Top: 3}, {Top: 1000}, {Top: 5, Tag: "red"}, {Top: 7, Host: "h1.test"},
		{Top: 4, Host: "h2.test", Tag: "blue"}}
	copies := make([]*Copy, len(queries))
	for i, q := range queries {
		copies[i] = NewCopy(q)
	}
	for round := range 80 {
		for range 1 + rng.IntN(5) {
			id := fmt.Sprintf("url_%d", rng.IntN(8))
			if rng.IntN(5) == 0 {
				s.must(s.ix.Remove(s.Context(), id, nil))
				continue
			}
			s.must(s.ix.Put(s.Context(), followedPage(rng, id)))
		}
		if round == 40 { // who has read all misses nothing
			for _, c := range copies {
				s.must(c.Follow(s.Context(), s.ix))
			}
			s.must(s.ix.Forget(s.Context(), time.Now().Add(time.Hour)))
		}
		for i, c := range copies {
			if rng.IntN(3) == 0 {
				continue // this one reads more rarely
			}
			s.must(c.Follow(s.Context(), s.ix))
			if round > 40 && c.Begins() > 1 {
				s.Fatalf("copy %d had to begin again", i)
			}
			want, err := TextsOf(s.Context(), s.ix, queries[i])
			s.must(err)
			if diff := cmp.Diff(want, c.Texts()); diff != "" {
				s.Fatalf("round %d, copy %+v (-index +copy):\n%s", round, queries[i], diff)
			}
		}
	}
	fresh := NewCopy(search.FollowQuery{Top: 2})
	s.must(fresh.Follow(s.Context(), s.ix))
	want, err := TextsOf(s.Context(), s.ix, search.FollowQuery{})
	s.must(err)
	if diff := cmp.Diff(want, fresh.Texts()); diff != "" {
		s.Fatalf("a new copy after deletions were forgotten (-index +copy):\n%s", diff)
	}
}

func followedPage(rng *rand.Rand, id string) search.Page {
	p := search.Page{ID: id, URL: "https://h1.test/" + id, Host: []string{"h1.test", "h2.test"}[rng.IntN(2)], Type: "page",
		Title: []string{"Tides", "Moons"}[rng.IntN(2)], IndexedAt: indexedAt, ChangedAt: indexedAt, Capture: "sha256:1"}
	for _, tag := range []string{"red", "blue"} {
		if rng.IntN(2) == 0 {
			p.Tags = append(p.Tags, tag)
		}
	}
	for i := range rng.IntN(6) {
		text := fmt.Sprintf("passage %d, state %d", i, rng.IntN(3))
		key := fmt.Sprintf("chunk-%s-%s", id[4:], strings.ReplaceAll(text[8:], ", state ", "x"))
		p.Chunks = append(p.Chunks, search.Chunk{Key: key, UID: "uid " + text,
			Heading: "潮汐 › Heading", Text: text, Anchor: []string{"", "a"}[rng.IntN(2)]})
	}
	return p
}

// followAgain checks what a follower is told that has nothing new to read, or that has to begin again.
func (s *followSuite) followAgain() {
	rng := rand.New(rand.NewPCG(1, 2))
	p := followedPage(rng, "url_1")
	p.Chunks = append(p.Chunks, search.Chunk{Key: "chunk-last", UID: "last", Text: "the last"})
	s.must(s.ix.Put(s.Context(), p))
	all := search.FollowQuery{Top: 100}
	first, err := s.ix.Follow(s.Context(), all)
	s.must(err)
	if len(first.Events) != len(p.Chunks) || first.Cursor == "" || first.Index == "" {
		s.Fatalf("a new follower gets %+v", first)
	}
	all.Since = first.Cursor
	p.IndexedAt = p.IndexedAt.Add(time.Hour) // as a rebuild does
	s.must(s.ix.Put(s.Context(), p))
	if again, err := s.ix.Follow(s.Context(), all); err != nil || len(again.Events) != 0 {
		s.Errorf("a page that was put again as it was gives %+v, %v", again, err)
	}
	s.must(s.ix.Remove(s.Context(), "url_1", nil))
	s.must(s.ix.Remove(s.Context(), "url_1", nil))
	gone, err := s.ix.Follow(s.Context(), all)
	s.must(err)
	if len(gone.Events) != 1 || gone.Events[0].Op != search.OpDeletePage || gone.Events[0].Page.ID != "url_1" {
		s.Errorf("the removal of a page gives %+v, %v", gone, err)
	}
	s.must(s.ix.Forget(s.Context(), time.Now().Add(time.Hour)))
	if _, err := s.ix.Follow(s.Context(), all); !fault.Is(err, fault.Expired) {
		s.Errorf("a cursor before a forgotten deletion: %v, want Expired", err)
	}
	all.Since = gone.Cursor
	if _, err := s.ix.Follow(s.Context(), all); err != nil {
		s.Errorf("a cursor after the last deletion: %v", err)
	}
	s.refusedCursors(gone.Cursor)
}

func (s *followSuite) refusedCursors(good string) {
	name, rest, _ := strings.Cut(good, ".")
	for what, tt := range map[string]struct {
		q    search.FollowQuery
		want fault.Kind
	}{
		"no cursor":             {search.FollowQuery{Since: "yesterday", Top: 1}, fault.Invalid},
		"of another filter":     {search.FollowQuery{Since: good, Host: "a.test", Top: 1}, fault.Invalid},
		"of another index":      {search.FollowQuery{Since: "0" + name + "." + rest, Top: 1}, fault.Expired},
		"of the index's future": {search.FollowQuery{Since: name + ".9" + rest, Top: 1}, fault.Expired},
	} {
		if _, err := s.ix.Follow(s.Context(), tt.q); !fault.Is(err, tt.want) {
			s.Errorf("a cursor %s: %v, want %s", what, err, tt.want)
		}
	}
}

func (s *followSuite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}
