package snapshot

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

const day = 24 * time.Hour

// aged returns captures of ten bytes, made on the given days.
func aged(days ...int) (out []Capture) {
	for _, d := range days {
		out = append(out, Capture{ItemID: itemA, RawHash: "h" + strconv.Itoa(d), CapturedAt: noon.Add(time.Duration(d) * day),
			Bytes: 10})
	}
	return out
}

func daysOf(captures []Capture) string {
	var out []string
	for _, c := range captures {
		out = append(out, c.RawHash[1:])
	}
	return strings.Join(out, " ")
}

// TestA21Retention checks which captures of days 0 to 9 are kept on day 9.
func TestA21Retention(t *testing.T) {
	for _, tt := range []struct {
		name   string
		r      Retention
		days   []int
		keep   string // days, the current one first
		kept   string
		oldest int // day; -1 means that there is none
	}{
		{"everything", Retention{}, []int{3, 0, 9, 5}, "9", "9 5 3 0", 0},
		{"by age", Retention{Age: 5 * day}, []int{3, 0, 9, 4}, "9", "9 4", 4},
		{"by count", Retention{Count: 3}, []int{3, 0, 9, 5, 1}, "9", "9 5 3", 3},
		{"by both, age is stricter", Retention{Age: 2 * day, Count: 3}, []int{0, 1, 9, 8}, "9", "9 8", 8},
		{"by both, count is stricter", Retention{Age: 8 * day, Count: 2}, []int{7, 6, 9, 8}, "9", "9 8", 8},
		{"by bytes", Retention{Bytes: 35}, []int{3, 0, 9, 5, 1}, "9", "9 5 3", 3},
		{"by bytes, to the last", Retention{Bytes: 30}, []int{3, 0, 9, 5, 1}, "9", "9 5 3", 3},
		{"what is needed counts", Retention{Bytes: 30}, []int{3, 0, 9, 5, 1}, "0", "9 5 0", 5},
		{"the newest and the present one stay, however large", Retention{Bytes: 5}, []int{0, 1, 9}, "0", "9 0", -1},
		{"by count and bytes", Retention{Count: 3, Bytes: 20}, []int{3, 0, 9, 5, 1}, "9", "9 5", 5},
		{"the newest stays, however old", Retention{Age: day}, []int{0, 1}, "1", "1", -1},
		{"the present one stays, however old", Retention{Age: day, Count: 1}, []int{0, 1, 5}, "0", "5 0", -1},
		{"what the stored row names stays, too", Retention{Count: 1}, []int{0, 1, 2}, "2 1", "2 1", 1},
		{"only one", Retention{Age: day, Count: 1}, []int{0}, "0", "0", -1},
		{"none", Retention{Age: day}, nil, "0", "", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var keep []string
			for _, d := range strings.Fields(tt.keep) {
				keep = append(keep, "h"+d)
			}
			now := noon.Add(9 * day)
			kept, gone := tt.r.split(aged(tt.days...), keep, now)
			if have := daysOf(kept); have != tt.kept || len(kept)+len(gone) != len(tt.days) {
				t.Errorf("kept %s, want %s; gone %s", have, tt.kept, daysOf(gone))
			}
			want := Kept{Count: len(kept), Bytes: 10 * int64(len(kept))}
			if tt.oldest >= 0 {
				want.Oldest = noon.Add(time.Duration(tt.oldest) * day)
			}
			if diff := cmp.Diff(want, keptOf(kept, keep[0])); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if len(keep) == 1 && tt.r.Due(keptOf(kept, keep[0]), now) {
				t.Error("pruning leaves something to prune")
			}
		})
	}
}

// TestA21RetentionLearnsBytes checks that a missing count of bytes is computed once and kept up to date from then on.
func TestA21RetentionLearnsBytes(t *testing.T) {
	r, old := Retention{Bytes: 100}, Kept{Count: 2, Oldest: noon}
	for _, tt := range []struct {
		name string
		k    Kept
		due  bool
	}{
		{"the first", Kept{}.Added(500), false},
		{"within", Kept{Count: 2, Bytes: 60, Oldest: noon}.Added(40), false},
		{"beyond", Kept{Count: 2, Bytes: 60, Oldest: noon}.Added(41), true},
		{"not known", old, true},
		{"one more of what is not known", old.Added(5), true},
		{"beyond, and nothing may go", Kept{Count: 1, Bytes: 500}, false},
	} {
		if r.Due(tt.k, noon) != tt.due {
			t.Errorf("%s: due of %+v is %v", tt.name, tt.k, !tt.due)
		}
	}
	if (Retention{Count: 5}).Due(old, noon) {
		t.Error("bytes are looked for without a limit of them")
	}
}

// TestA21RetentionAlways checks that the newest and the needed captures are always kept. Beside them, no more are
// kept than the rules allow, and no capture is removed that is younger than one that is kept.
func TestA21RetentionAlways(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		days := rng.Perm(12)[:1+rng.IntN(11)]
		r := Retention{Age: time.Duration(rng.IntN(5)) * day, Count: rng.IntN(5), Bytes: int64(rng.IntN(50))}
		keep := []string{"h" + strconv.Itoa(days[rng.IntN(len(days))]), "h" + strconv.Itoa(rng.IntN(12))}
		now := noon.Add(time.Duration(11+rng.IntN(3)) * day)
		kept, gone := r.split(aged(days...), keep, now)
		if r == (Retention{}) && len(gone) > 0 || len(kept) == 0 || r.Count > 0 && len(kept) > r.Count+2 || r.Bytes > 0 &&
			int64(10*(len(kept)-3)) > r.Bytes {
			t.Fatalf("%v of %v keeps %s", r, days, daysOf(kept))
		}
		for _, g := range gone {
			if g.RawHash == keep[0] || g.RawHash == keep[1] || g.CapturedAt.After(kept[0].CapturedAt) {
				t.Fatalf("%v of %v, needing %v, drops %s", r, days, keep, daysOf(gone))
			}
			if r.Count == 0 && r.Bytes == 0 && !r.aged(g.CapturedAt, now) {
				t.Fatalf("%v of %v drops %s", r, days, g.RawHash)
			}
		}
	}
}

// TestA21PruneUnderFaults checks that pruned captures are removed with their edges and bodies, at whatever step
// pruning dies.
func TestA21PruneUnderFaults(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			p := newPast(t, open(t, store))
			shots := []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"}, {"q", "q", "b", "b", "v1"},
				{"p", "p", "c", "c", "v1"}, {"p", "p", "d", "d", "v1"}}
			p.run(shots...)
			r, present := Retention{Count: 2}, Hash([]byte("d"))
			_, err := New(storagetest.Hooked(store, f)).Prune(t.Context(), idOf("p"), r, p.now, present)
			if (f.hit != "") != (err != nil) {
				t.Errorf("%s: %v", f.hit, err)
			}
			k, err := p.s.Prune(t.Context(), idOf("p"), r, p.now, present)
			must(t, err)
			if want := (Kept{Count: 2, Bytes: 2, Oldest: noon.Add(4 * time.Hour)}); k != want {
				t.Errorf("%s: have %+v, want %+v", f.hit, k, want)
			}
			want := []string{"17 pd over pc canonical_uri pc -", "16 pc over pb canonical_uri pb -"}
			if diff := cmp.Diff(want, p.edges("p", namesOf(shots))); diff != "" {
				t.Errorf("%s: edges (-want +have):\n%s", f.hit, diff)
			}
			for body, there := range map[string]bool{"a": false, "b": true, "c": true, "d": true} { // item q has body b
				if _, err := p.s.Body(t.Context(), Hash([]byte(body))); (err == nil) != there {
					t.Errorf("%s: body %s: %v", f.hit, body, err)
				}
			}
		})
	})
}

// TestA21OldEdgesGo checks that old edges are removed together with old captures. A page that alternates has few
// captures and many edges.
func TestA21OldEdgesGo(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		p := newPast(t, open(t, empty()))
		a, b := shot{"p", "p", "a", "a", "v1"}, shot{"p", "p", "b", "b", "v1"}
		p.run(shot{"p", "p", "z", "z", "v1"}, a, b, a, b, a, b)
		_, err := p.s.Prune(t.Context(), idOf("p"), Retention{Age: 150 * time.Minute}, p.now, Hash([]byte("b")),
			Hash([]byte("a")))
		must(t, err)
		edges, err := p.s.Edges(t.Context(), idOf("p"), 100)
		must(t, err)
		if len(edges) != 3 || edges[2].At.Before(p.now.Add(-150*time.Minute)) {
			t.Errorf("have %d edges", len(edges))
		}
		if most, err := p.s.Edges(t.Context(), idOf("p"), 2); err != nil || !cmp.Equal(most, edges[:2]) {
			t.Errorf("the newest two are %v, %v", most, err)
		}
	})
}
