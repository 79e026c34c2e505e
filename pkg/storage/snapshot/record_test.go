package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// past makes items capture shots in sequence, one hour apart.
type past struct {
	t      *testing.T
	s      *Store
	now    time.Time
	before map[source.ID]string
}

func newPast(t *testing.T, s *Store) *past { return &past{t, s, noon, map[source.ID]string{}} }

// shot is one capture. Its short values represent the item's URL and hashes.
type shot struct{ item, uri, content, body, version string }

func idOf(path string) source.ID {
	return source.Source{Type: source.URL, Normalized: "https://port.example/" + path}.ID()
}

func (p *past) capture(x shot) Capture {
	c := captureOfBody(x.body)
	c.ItemID, c.CanonicalURI, c.ContentHash = idOf(x.item), "https://port.example/"+x.uri, "sha256:"+x.content
	c.NormalizationVersion, c.CapturedAt = "http_snapshot_url_v1_text_"+x.version, p.now
	return c
}

func (p *past) save(s *Store, x shot) error {
	c := p.capture(x)
	_, err := s.Save(p.t.Context(), c, []byte(x.body), Had{RawHash: p.before[c.ItemID], Verified: p.now.Add(-time.Minute)})
	return err
}

func (p *past) run(shots ...shot) {
	p.t.Helper()
	for _, x := range shots {
		p.now = p.now.Add(time.Hour)
		must(p.t, p.save(p.s, x))
		p.before[idOf(x.item)] = Hash([]byte(x.body))
	}
}

// edges returns an item's edges, newest first, with names for hashes.
func (p *past) edges(item string, names map[string]string) (out []string) {
	p.t.Helper()
	edges, err := p.s.Edges(p.t.Context(), idOf(item), 100)
	must(p.t, err)
	name := func(id lineage.CaptureID) string {
		of, digest := id.Split()
		if id == "" {
			return "-"
		}
		return names[of] + names[digest]
	}
	for _, e := range edges {
		conflict := ""
		if e.ConflictResolved {
			conflict = " conflict"
		}
		out = append(out, strings.Join([]string{
			e.At.Format("15"), name(e.Newer), "over", name(e.Older), e.Selected, name(e.CanonicalURIMatch),
			name(e.ContentSHA256Match),
		}, " ")+conflict)
	}
	return out
}

func namesOf(shots []shot) map[string]string {
	names := map[string]string{}
	for _, x := range shots {
		names[string(idOf(x.item))] = x.item
		names[strings.TrimPrefix(Hash([]byte(x.body)), "sha256:")] = x.body
	}
	return names
}

// pasts are the histories for the tests of edges. A body is a letter, which represents its content, and a number.
var pasts = []struct {
	name  string
	shots []shot
	want  map[string][]string // by item
}{
	{"B4 a page changes", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"}},
		map[string][]string{"p": {"14 pb over pa canonical_uri pa -"}}},
	{"B4 there and back", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"}, {"p", "p", "a", "a", "v1"},
		{"p", "p", "b", "b", "v1"}},
		map[string][]string{"p": {"16 pb over pa canonical_uri pa -", "15 pa over pb canonical_uri pb -",
			"14 pb over pa canonical_uri pa -"}}},
	{"B4 back with other bytes", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"},
		{"p", "p", "a", "a2", "v1"}},
		map[string][]string{"p": {"15 pa2 over pa content_sha256 pb pa conflict", "14 pb over pa canonical_uri pa -"}}},
	{"B4 content of another page", []shot{{"q", "q", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"},
		{"p", "p", "a", "a2", "v1"}},
		map[string][]string{"q": nil, "p": {"15 pa2 over qa content_sha256 pb qa conflict"}}},
	{"B4 one body at two places", []shot{{"p", "p", "a", "a", "v1"}, {"q", "q", "a", "a", "v1"}},
		map[string][]string{"p": nil, "q": {"14 qa over pa content_sha256 - pa"}}},
	{"B4 the newest of a content", []shot{{"p", "p", "a", "a", "v1"}, {"q", "q", "a", "a", "v1"},
		{"r", "r", "a", "a", "v1"}},
		map[string][]string{"r": {"15 ra over qa content_sha256 - qa"}}},
	{"B4 another page's canonical", []shot{{"p", "p", "a", "a", "v1"}, {"q", "p", "b", "b", "v1"},
		{"r", "p", "c", "c", "v1"}, {"p", "p", "d", "d", "v1"}},
		map[string][]string{"q": {"14 qb over pa canonical_uri pa -"}, "r": {"15 rc over qb canonical_uri qb -"},
			"p": {"16 pd over rc canonical_uri rc -"}}},
	{"B4 a canonical that is no item", []shot{{"p", "z", "a", "a", "v1"}, {"q", "z", "b", "b", "v1"}},
		map[string][]string{"q": {"14 qb over pa canonical_uri pa -"}}},
	{"B4 a page that was another's copy first", []shot{{"q", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"},
		{"r", "p", "c", "c", "v1"}},
		map[string][]string{"p": nil, "r": {"15 rc over pb canonical_uri pb -"}}},
	{"B4 a page that becomes another's copy", []shot{{"p", "p", "a", "a", "v1"}, {"p", "z", "b", "b", "v1"},
		{"q", "p", "c", "c", "v1"}},
		map[string][]string{"p": nil, "q": {"15 qc over pa canonical_uri pa -"}}},
	{"B4 a copy first and last", []shot{{"q", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"},
		{"p", "z", "c", "c", "v1"}, {"r", "p", "d", "d", "v1"}},
		map[string][]string{"r": {"16 rd over pb canonical_uri pb -"}}},
	{"B4 another's copy for a time", []shot{{"p", "p", "a", "a", "v1"}, {"p", "z", "b", "b", "v1"},
		{"p", "z", "c", "c", "v1"}, {"p", "p", "d", "d", "v1"}},
		map[string][]string{"p": {"16 pd over pa canonical_uri pa -", "15 pc over pb canonical_uri pb -"}}},
	{"B4 a copy that is newer than what it copies", []shot{{"p", "p", "a", "a", "v1"}, {"q", "p", "b", "b", "v1"},
		{"p", "z", "c", "c", "v1"}, {"r", "p", "d", "d", "v1"}},
		map[string][]string{"r": {"16 rd over qb canonical_uri qb -"}}},
	{"B3 another version", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v2"}, {"q", "q", "a", "a3", "v2"},
		{"p", "p", "c", "c", "v2"}},
		map[string][]string{"p": {"16 pc over pb canonical_uri pb -"}, "q": nil}},
	{"B3 a body that returns has a capture of each version", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v2"},
		{"p", "p", "a", "a", "v2"}, {"q", "q", "a", "a4", "v2"}},
		map[string][]string{"p": {"15 pa over pb canonical_uri pb -"}, "q": {"16 qa4 over pa content_sha256 - pa"}}},
	{"B4 recent is what was found last", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "c", "c", "v1"},
		{"q", "p", "b", "b", "v1"},
		{"p", "p", "a", "a", "v1"}, {"r", "p", "b", "b6", "v1"}},
		map[string][]string{"r": {"17 rb6 over qb content_sha256 pa qb conflict"}}},
	{"B4 what is only found again is not newer", []shot{{"p", "p", "a", "a", "v1"}, {"q", "q", "a", "a", "v1"},
		{"p", "p", "a", "a", "v1"}, {"r", "r", "a", "a", "v1"}},
		map[string][]string{"r": {"16 ra over qa content_sha256 - qa"}}},
	{"the same again", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "a", "a", "v1"}, {"p", "p", "a", "a", "v1"}},
		map[string][]string{"p": nil}},
}

func TestB4Edges(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		for _, tt := range pasts {
			t.Run(tt.name, func(t *testing.T) {
				p := newPast(t, open(t, empty()))
				p.run(tt.shots...)
				for item, want := range tt.want {
					if diff := cmp.Diff(want, p.edges(item, namesOf(tt.shots))); diff != "" {
						t.Errorf("edges of %s (-want +have):\n%s", item, diff)
					}
				}
			})
		}
	})
}

// TestB4EdgesOverRowsOfEarlierReleases checks that edges are the same if an earlier release has written all captures
// but the last: it wrote a look-up row for each page's own URI, and its tips do not name the URI.
func TestB4EdgesOverRowsOfEarlierReleases(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		for _, tt := range pasts {
			t.Run(tt.name, func(t *testing.T) {
				p := newPast(t, open(t, empty()))
				for i, x := range tt.shots {
					p.run(x)
					if i < len(tt.shots)-1 {
						p.asBefore(x)
					}
				}
				for item, want := range tt.want {
					if diff := cmp.Diff(want, p.edges(item, namesOf(tt.shots))); diff != "" {
						t.Errorf("edges of %s (-want +have):\n%s", item, diff)
					}
				}
			})
		}
	})
}

// asBefore makes the rows of the capture that was saved last look as an earlier release wrote them.
func (p *past) asBefore(x shot) {
	p.t.Helper()
	c := p.capture(x)
	now, etag, err := tips.Load(p.t.Context(), p.s.captures, storage.Key{Partition: string(c.ItemID), Row: tipRow})
	must(p.t, err)
	me := now.pointer(string(c.ItemID), c.NormalizationVersion)
	now.URI, now.Content = "", ""
	ops := []storage.Op{tips.Put(storage.Key{Partition: string(c.ItemID), Row: tipRow}, etag, &now)}
	if me.ID != "" {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: pointer(uriKey(c), me)})
	}
	_, err = p.s.captures.Transact(p.t.Context(), ops...)
	must(p.t, err)
}

// TestB4OwnURINeedsNoRow checks that a page whose canonical URI is its own has no look-up row for it, and that a row
// of an earlier release is kept up to date.
func TestB4OwnURINeedsNoRow(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		p := newPast(t, open(t, empty()))
		p.run(shot{"p", "p", "a", "a", "v1"}, shot{"p", "p", "b", "b", "v1"}, shot{"p", "p", "a", "a", "v1"})
		if n := rowsOf(t, p.s, idOf("p"), uriRows, uriRows+"~"); n != 0 {
			t.Errorf("%d look-up rows", n)
		}
		p.asBefore(shot{"p", "p", "a", "a", "v1"})
		last := shot{"p", "p", "c", "c", "v1"}
		p.run(last)
		c := p.capture(last)
		e, err := p.s.captures.Get(t.Context(), uriKey(c))
		if err != nil || pointed(e).ID != c.lineage().ID {
			t.Errorf("the row refers to %s, %v", pointed(e).ID, err)
		}
		must(t, p.s.Purge(t.Context(), c.ItemID))
		if n := rowsOf(t, p.s, c.ItemID, "", "~"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestB4EdgesUnderFaults checks that a save that dies at any step and is repeated leaves the same state as one that
// does not die, whether or not the item was updated (B4, A21).
func TestB4EdgesUnderFaults(t *testing.T) {
	for _, tt := range pasts {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, empty func() storage.Store) {
				last := tt.shots[len(tt.shots)-1]
				everyStep(t, func(t *testing.T, f *steps) {
					store := empty()
					p := newPast(t, open(t, store))
					p.run(tt.shots[:len(tt.shots)-1]...)
					p.now = p.now.Add(time.Hour)
					if err := p.save(New(storagetest.Hooked(store, f)), last); (f.hit != "") != (err != nil) {
						t.Errorf("%s: %v", f.hit, err)
					}
					p.now = p.now.Add(time.Minute) // the host delivers the job again
					must(t, p.save(p.s, last))
					want := tt.want[last.item]
					if diff := cmp.Diff(want, p.edges(last.item, namesOf(tt.shots))); diff != "" {
						t.Errorf("%s: edges (-want +have):\n%s", f.hit, diff)
					}
					c := p.capture(last)
					for _, key := range []storage.Key{contentKey(c), uriKey(c)} {
						e, err := p.s.captures.newest(t.Context(), key)
						if have := e.ID; err != nil || have != c.lineage().ID && !strings.HasPrefix(tt.name, "B3") {
							t.Errorf("%s: %v names %s, want %s (%v)", f.hit, key, have, c.lineage().ID, err)
						}
					}
				})
			})
		})
	}
}

// TestB4CapturesThatAreGone checks that a look-up row counts only when its capture exists.
func TestB4CapturesThatAreGone(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		p := newPast(t, open(t, empty()))
		gone := shot{"gone", "gone", "a", "a", "v1"}
		p.run(shot{"q", "gone", "a", "a", "v1"}, gone)
		must(t, p.s.drop(t.Context(), []Capture{p.capture(gone)}, nil)) // as retention does, which keeps the look-up rows
		p.run(shot{"p", "gone", "a", "a5", "v1"})
		if edges := p.edges("p", nil); edges != nil {
			t.Errorf("have %v, want none over what is gone", edges)
		}
	})
}

// TestA21Saved checks that Save returns the values for the item's row.
func TestA21Saved(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
		before := ""
		for i, tt := range []struct {
			body string
			want Saved
		}{
			{"a", Saved{Added: true, Since: at(0)}},
			{"a", Saved{Since: at(0)}},
			{"b", Saved{Added: true, Since: at(2), Replaced: at(0)}},
			{"a", Saved{Since: at(0), Replaced: at(2)}},
			{"b", Saved{Since: at(2), Replaced: at(0)}},
		} {
			c := captureOfBody(tt.body)
			c.CapturedAt = at(i)
			have, err := s.Save(t.Context(), c, []byte(tt.body), Had{RawHash: before})
			must(t, err)
			if diff := cmp.Diff(tt.want, have); diff != "" {
				t.Errorf("%d (-want +have):\n%s", i, diff)
			}
			before = c.RawHash
			stored, _, err := s.Load(t.Context(), c.ItemID, c.RawHash)
			if newer := tt.want.Added || !tt.want.Replaced.IsZero(); err != nil ||
				newer != stored.LastVerifiedAt.Equal(c.CapturedAt) || !stored.CapturedAt.Equal(tt.want.Since) {
				t.Errorf("%d: captured %s, verified %s, %v", i, stored.CapturedAt, stored.LastVerifiedAt, err)
			}
		}
	})
}

// TestA21LostBodyIsKeptAnew checks that a lost body is stored again when it is fetched for an item whose row records
// the loss.
func TestA21LostBodyIsKeptAnew(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		c := keep(t, s, itemA, "body")
		name, err := blobName(c.RawHash)
		must(t, err)
		must(t, s.bodies.blobs.Delete(t.Context(), name))
		must(t, save(t, s, c, "body"))
		if _, err := s.Body(t.Context(), c.RawHash); err != nil {
			t.Error(err)
		}
	})
}

// TestCostOfSave checks the cost of Save in requests to tables and to blobs.
func TestCostOfSave(t *testing.T) {
	p := newPast(t, nil)
	for _, tt := range []struct {
		name          string
		shots         []shot // requests of the last shot are counted
		tables, blobs int
	}{
		{"first capture", []shot{{"p", "p", "a", "a", "v1"}}, 3, 1},
		{"changed page", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"}}, 5, 1},
		{"the same again", []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "a", "a", "v1"}}, 3, 0},
		{"content of another page", []shot{{"q", "q", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"},
			{"p", "p", "a", "a2", "v1"}}, 8, 1},
	} {
		onStores(t, func(t *testing.T, empty func() storage.Store) {
			store, tables, blobs := empty(), 0, 0
			p.t, p.s, p.before = t, open(t, store), map[source.ID]string{}
			n := len(tt.shots) - 1
			p.run(tt.shots[:n]...)
			must(t, p.save(New(storagetest.Hooked(store, counter{&tables, &blobs})), tt.shots[n]))
			if tables != tt.tables || blobs != tt.blobs {
				t.Errorf("%s: %d requests to tables and %d to blobs, want %d and %d", tt.name, tables, blobs, tt.tables, tt.blobs)
			}
		})
	}
}
