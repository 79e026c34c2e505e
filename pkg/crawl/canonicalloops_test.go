package crawl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA16NotesAreRecordedOnce checks A16: the history mentions an ignored canonical once, however often it is seen.
func TestA16NotesAreRecordedOnce(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", naming("https://evil.example/", "v1").etag("1"))
	r.first("/a")
	for range 5 {
		r.look("/a")
	}
	notes := func(it registry.Item) (n int) {
		for _, d := range it.History {
			if d.What == "canonical" && strings.Contains(d.Why, "ignored") {
				n++
			}
		}
		return n
	}
	it := r.force("/a")
	if n := notes(it); n != 1 || it.Status != indexed || it.AliasOf != "" {
		t.Errorf("%d notes, status %s, alias of %q", n, it.Status, it.AliasOf)
	}
	if asked := r.site.asked(); len(asked) != 7 || asked[3] != "GET /a if 1" {
		t.Errorf("asked %q", asked)
	}
	r.site.put("/a", text("v1").etag("2"))
	if it = r.look("/a"); it.CanonicalNote != "" {
		t.Errorf("nothing is claimed any more, but the note says %q", it.CanonicalNote)
	}
}

// TestA16LooksAgainSoon checks A16: a canonical that was not fetched yet brings the next check forward, once. So does
// becoming an alias, because two workers may have made each page the other's alias.
func TestA16LooksAgainSoon(t *testing.T) {
	r := newRig(t)
	base := schedule.Defaults()
	r.site.put("/a", naming("/b", "v1").etag("a"))
	r.site.put("/b", text("v1").etag("b"))
	r.register(false, "/b")
	r.jobs() // the jobs are lost
	wait := func(it registry.Item) time.Duration { return it.NextCrawlAt.Sub(r.clock.now()) }
	if it := r.first("/a"); wait(it) != base.ErrorBase || it.Status != indexed {
		t.Errorf("next look after %v (%s)", wait(it), it.Status)
	}
	if it := r.look("/a"); wait(it) != base.Base {
		t.Errorf("and another one after %v", wait(it))
	}
	r.force("/b")
	if it := r.look("/a"); wait(it) != base.ErrorBase || it.AliasOf == "" {
		t.Errorf("a new alias is looked at after %v", wait(it))
	}
	if it := r.look("/a"); wait(it) < base.Base {
		t.Errorf("an old alias is looked at after %v", wait(it))
	}
}

// TestA16LoopWithinOneJob checks A16: pages of one job that name each other are compared with the state before the
// job; later checks correct the result.
func TestA16LoopWithinOneJob(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/a", "/b"} {
		r.site.put(path, text("v1"))
	}
	r.register(false, "/a", "/b")
	r.mustWork()
	r.site.put("/a", naming("/b", "v1"))
	r.site.put("/b", naming("/a", "v1"))
	r.clock.pass(time.Second)
	r.register(true, "/a", "/b") // without force, a second check would have to say the same
	r.mustWork()
	if r.shown() != "" {
		t.Fatalf("shown %q: the test does not show what it should", r.shown())
	}
	r.clock.pass(schedule.Defaults().ErrorBase)
	r.next("/a")
	if r.shown() != "/a /b" {
		t.Errorf("shown %q", r.shown())
	}
}

// TestA16LooksAgainSoonOnce checks A16: a page that names another canonical at each check, none of which is ever
// fetched, is not checked more often.
func TestA16LooksAgainSoonOnce(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		next := fmt.Sprintf("/%d", i)
		r.register(false, next)
		r.jobs() // the jobs are lost
		r.site.put("/a", naming(next, "v1"))
		it := r.look("/a")
		if soon := it.NextCrawlAt.Sub(r.clock.now()) < schedule.Defaults().Base; soon != (i == 0) {
			t.Errorf("check %d: again soon is %v", i+1, soon)
		}
	}
}

// TestA16Rings checks A16: in a ring of any size all pages stand for themselves, in whatever order they are checked,
// and a bounded number of reads shows this.
func TestA16Rings(t *testing.T) {
	for n := 2; n <= 5+3; n++ {
		r := newRig(t)
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("/%d", i))
			r.site.put(paths[i], naming(fmt.Sprintf("/%d", (i+1)%n), "v1"))
		}
		for range 3 {
			for i := range n {
				r.look(paths[i*(n-1)%n])
			}
		}
		if r.shown() != strings.Join(paths, " ") {
			t.Errorf("a ring of %d: shown %s", n, r.shown())
		}
		if far := strings.Contains(r.item("/0").CanonicalNote, "over more than"); far != (n > 5+2) {
			t.Errorf("a ring of %d: %s", n, r.item("/0").CanonicalNote)
		}
	}
}

// TestA16LongChains checks A16: a chain is followed through five aliases, and no further.
func TestA16LongChains(t *testing.T) {
	for _, n := range []int{5, 5 + 1} {
		r := newRig(t)
		last := n + 1
		r.site.put(fmt.Sprintf("/%d", last), text("v1"))
		r.first(fmt.Sprintf("/%d", last))
		for i := n; i >= 0; i-- { // each becomes an alias before its canonical does
			path, next := fmt.Sprintf("/%d", i), fmt.Sprintf("/%d", i+1)
			r.site.put(path, text("v1"))
			r.first(path)
			r.site.put(path, naming(next, "v1"))
		}
		for range 2 { // two checks in a row have to say the same
			for i := 1; i <= n; i++ {
				r.look(fmt.Sprintf("/%d", i))
			}
		}
		r.look("/0")
		it := r.look("/0")
		if followed := it.AliasOf != ""; followed != (n == 5) {
			t.Errorf("%d aliases between: followed %v (%s)", n, followed, it.CanonicalNote)
		}
	}
}
