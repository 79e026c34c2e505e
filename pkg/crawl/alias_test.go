package crawl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// aliasRows counts the rows that lead from items to their aliases.
func (r *rig) aliasRows() (n int) {
	r.t.Helper()
	for e, err := range r.store.Table(registry.DefaultTable).Query(r.t.Context(), storage.Query{}) {
		must(r.t, err)
		if strings.HasPrefix(e.Row, "alias|") {
			n++
		}
	}
	return n
}

// settled checks page /q, and page /p, which names /q as its canonical, until neither is due for a week.
func (r *rig) settled() {
	r.t.Helper()
	r.site.put("/q", text("v1").etag("q"))
	r.site.put("/p", naming("/q", "v1").etag("p"))
	for r.first("/q"); r.item("/q").CrawlIntervalSeconds < int64(7*day/time.Second); {
		r.next("/q")
	}
	for r.first("/p"); r.item("/p").NextCrawlAt.Sub(r.clock.now()) < 6*day; {
		r.next("/p")
	}
	if r.aliasOf(r.item("/p")) == "" {
		r.t.Fatal("no alias")
	}
}

// TestA16AliasComesBack checks A16: when the page that stands for an alias leaves the index, for whatever reason, the
// alias is back within minutes, and not only when its own check is due.
func TestA16AliasComesBack(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"gone": func(r *rig) {
			r.site.put("/q", status(410))
			for range 3 {
				r.look("/q")
			}
		},
		"noindex": func(r *rig) {
			r.site.put("/q", text("v1").set("X-Robots-Tag", "noindex"))
			r.look("/q")
		},
		"another type": func(r *rig) {
			r.site.put("/q", page{body: "%!x\x00\x01"}.set("Content-Type", "application/x-strange"))
			r.look("/q")
		},
		"removed": func(r *rig) {
			_, err := r.reg.Items.Remove(r.t.Context(), r.source("/q").ID())
			must(r.t, err)
			r.mustWork()
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				r := newRig(t, on(open))
				r.settled()
				leave(r)
				r.sweepAfter(4 * time.Minute)
				if it := r.item("/p"); it.Status != indexed || it.AliasOf != "" || r.index.holds(it) == "" {
					t.Errorf("%s, alias of %q, due %s", it.Status, it.AliasOf, it.NextCrawlAt.Sub(r.clock.now()))
				}
				if n := r.aliasRows(); n != 0 {
					t.Errorf("%d rows lead to aliases, of which there are none", n)
				}
			})
		})
	}
}

// TestA16AliasRows checks A16: no row leads to an item that is no longer an alias, or that is now an alias of another
// item.
func TestA16AliasRows(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*rig)
		want int
	}{
		{"nothing", func(*rig) {}, 1},
		{"names another", func(r *rig) {
			r.site.put("/other", text("other"))
			r.first("/other")
			r.site.put("/p", naming("/other", "v1"))
			r.look("/p")
		}, 1},
		{"names none", func(r *rig) {
			r.site.put("/p", text("p"))
			r.look("/p")
			r.look("/p")
		}, 0},
		{"is gone", func(r *rig) {
			r.site.put("/p", status(410))
			for range 3 {
				r.look("/p")
			}
		}, 0},
		{"is purged", func(r *rig) {
			_, err := r.reg.Items.Remove(r.t.Context(), r.source("/p").ID())
			must(r.t, err)
			r.mustWork()
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.settled()
			tt.do(r)
			if n := r.aliasRows(); n != tt.want {
				t.Errorf("%d rows lead to aliases, want %d", n, tt.want)
			}
		})
	}
}

// TestA16ManyAliases checks A16: of very many aliases, 50 checks are brought forward; the others are checked when
// they are due.
func TestA16ManyAliases(t *testing.T) {
	r := newRig(t)
	r.site.put("/q", text("v1").etag("q"))
	r.first("/q")
	paths := []string{}
	for i := range 60 {
		paths = append(paths, fmt.Sprintf("/p%d", i))
		r.site.put(paths[i], naming("/q", "v1").etag("p"))
	}
	r.register(false, paths...)
	r.mustWork()
	r.sweepAfter(15 * time.Minute) // a new alias is checked again
	r.site.put("/q", text("v1").set("X-Robots-Tag", "noindex"))
	r.look("/q")
	r.sweepAfter(4 * time.Minute)
	if have, _ := r.tally(paths); have[indexed] != 50 {
		t.Errorf("%v, want 50 that stand for themselves", have)
	}
}

// TestA16UnchangedCostsNothing checks A16: an unchanged check of an alias, or of the page that stands for it, costs
// what it did before.
func TestA16UnchangedCostsNothing(t *testing.T) {
	var l ledger
	r := newRig(t, l.watch)
	r.site.put("/alone", text("alone").etag("a"))
	r.first("/alone")
	r.settled()
	cost := func(path string) int {
		l.took()
		r.look(path)
		all, _ := l.took()
		return all
	}
	alone := cost("/alone")
	if q := cost("/q"); q != alone {
		t.Errorf("%d operations for a page with an alias, %d for one without", q, alone)
	}
	// The check reads the item that stands for the page, to see whether it still does. Until then the forced check
	// counts as pending, which is written to the copy of the host's counters.
	if p := cost("/p"); p != alone+2 {
		t.Errorf("%d operations for an alias, %d for another page", p, alone)
	}
}

// TestA16ChainGrows checks A16: when a page becomes an alias, the pages behind it soon stand behind the end of the
// chain.
func TestA16ChainGrows(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", text("a"))
	r.site.put("/b", naming("/a", "a"))
	r.site.put("/c", naming("/b", "a"))
	r.first("/b")
	if it := r.first("/c"); it.AliasOf != r.item("/b").ID {
		t.Fatalf("/c: %s (%s)", it.Status, it.ErrorMessage)
	}
	for range 3 { // the second check of a new alias
		r.sweepAfter(15 * time.Minute)
	}
	r.first("/a")
	if it := r.look("/b"); it.AliasOf != r.item("/a").ID {
		t.Fatalf("/b: %s (%s)", it.Status, it.ErrorMessage)
	}
	r.sweepAfter(5 * time.Minute)
	if it := r.item("/c"); it.AliasOf != r.item("/a").ID {
		t.Errorf("/c: %s (%s)", it.Status, it.ErrorMessage)
	}
}
