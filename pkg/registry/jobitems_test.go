package registry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// hashesOfPages returns the hashes of so many pages, in order.
func hashesOfPages(n int) (out []string) {
	for i := range n {
		out = append(out, source.Source{Type: source.URL, Normalized: fmt.Sprintf("https://a.example/%d", i)}.Hash())
	}
	slices.Sort(out)
	return out
}

// TestK7CloseRanges checks that every item is in one group, that no group contains rows of another kind, that the
// items of a host that are all wanted are in few groups, and that a few items of a large host are each alone.
func TestK7CloseRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct{ wanted, known, most, least int }{
		{1, 1, 1, 1}, {32, 32, 6, 1}, {32, 100, 18, 2}, {32, 100_000, 32, 32}, {32, 1_000, 32, 20}, {2, 0, 6, 1},
	} {
		all := hashesOfPages(max(tt.known, tt.wanted))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		wanted := all[:tt.wanted]
		groups := closeRanges(wanted, tt.known)
		if n := len(groups); n > tt.most || n < tt.least {
			t.Errorf("%d of %d items: %d groups, want %d to %d", tt.wanted, tt.known, n, tt.least, tt.most)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(wanted)), slices.Concat(groups...)); diff != "" {
			t.Errorf("%d of %d items (-want +have):\n%s", tt.wanted, tt.known, diff)
		}
		for _, g := range groups {
			for _, prefix := range otherPrefixes {
				if g[0] < prefix && prefix < g[len(g)-1] {
					t.Errorf("%s is between %s and %s", prefix, g[0], g[len(g)-1])
				}
			}
		}
	}
	if n := len(closeRanges([]string{"aaa", "aaa", "aab|x", "aac"}, 1)); n != 3 {
		t.Errorf("%d groups of keys that are no items", n)
	}
}

// TestK7ShareBelow checks that the shares of hashes are in the order of the hashes, and spread evenly.
func TestK7ShareBelow(t *testing.T) {
	all := hashesOfPages(2_000)
	for i, hash := range all {
		if have, want := shareBelow(hash), float64(i)/2_000; have < want-.05 || have > want+.05 {
			t.Errorf("%s: %f, want about %f", hash, have, want)
		}
		if i > 0 && shareBelow(hash) < shareBelow(all[i-1]) {
			t.Errorf("%s is before %s", hash, all[i-1])
		}
	}
	if a, b := shareBelow(""), shareBelow("~~~"); a != 0 || b != 0 {
		t.Errorf("%f, %f", a, b)
	}
}

// TestK7ItemsOfAJob checks that the items of a job are read whatever the host's counters say, in the order of the
// job, and with few requests if they are close together. Items that do not exist have no revision.
func TestK7ItemsOfAJob(t *testing.T) {
	all := hashesOfPages(330)
	for _, tt := range []struct{ step, known, most int }{
		{1, 320, 8}, {4, 320, 25}, {10, 320, 34}, {1, 1_000_000, 34}, {10, 1, 40}, {1, 0, 8},
	} {
		requests := 0
		under := mem.New(time.Now)
		must(t, under.Table(DefaultTable).Create(t.Context()))
		for i, hash := range all {
			if i%11 > 0 { // the others do not exist
				put(t, under, hash, storage.Properties{"id": "url_" + hash})
			}
			put(t, under, dueRow(time.Now(), hash), storage.Properties{"id": hash})
		}
		put(t, under, hostRow("a.example"), storage.Properties{"counts": fmt.Sprintf(`{"Indexed":%d}`, tt.known)})
		job := Job{PartitionKey: "a.example", Host: "a.example"}
		for i := range 32 {
			job.Items = append(job.Items, JobItem{RowKey: all[(320-tt.step*i)%320]})
		}
		r := newRowStore(storagetest.Hooked(under, storagetest.Hooks{
			OnBefore: func(context.Context, storagetest.Call) error { requests++; return nil },
		}), Options{Parallel: 1})
		items, h, err := r.LoadJob(t.Context(), job)
		must(t, err)
		if requests > tt.most || h.ETag == "" {
			t.Errorf("every %dth of %d: %d requests, want %d at most", tt.step, tt.known, requests, tt.most)
		}
		for i, it := range items {
			want := job.Items[i].RowKey
			if exists := slices.Index(all, want)%11 > 0; it.Hash() != want || it.exists() != exists ||
				exists && string(it.ID) != "url_"+want {
				t.Errorf("every %dth of %d: %d is %s (%s), want %s", tt.step, tt.known, i, it.Hash(), it.ID, want)
			}
		}
	}
}

// put inserts a row of the host a.example.
func put(t *testing.T, s storage.Store, row string, props storage.Properties) {
	t.Helper()
	_, err := s.Table(DefaultTable).Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: storage.Key{Partition: "a.example", Row: row}, Props: props}})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
