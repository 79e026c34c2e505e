package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// fill adds pages about a subject to a site, and returns their addresses.
func (s *pages) fill(n int, subject string) (urls []string) {
	for i := range n {
		path := fmt.Sprintf("/%s/%d", subject, i)
		s.put(path, fmt.Sprintf("The %s number %d stands on the cape.", subject, i))
		urls = append(urls, s.URL+path)
	}
	return urls
}

// lose removes pages from a site, and returns their texts.
func (s *pages) lose(urls []string) (texts map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts = map[string]string{}
	for _, u := range urls {
		path := strings.TrimPrefix(u, s.URL)
		texts[path] = s.texts[path]
		delete(s.texts, path)
	}
	return texts
}

// later lets time pass while no process runs, and then does the work that is due.
func (l *local) later(d time.Duration) {
	l.t.Helper()
	l.stop()
	l.pass(d)
	l.start()
	l.invoke("CrawlTimer")
	l.await("what is due is done", func() bool {
		if l.idle() {
			return true
		}
		l.invoke("CrawlTimer")
		return false
	})
}

// hostCounts returns the counts of one site.
func (l *local) hostCounts(s *pages) map[api.Status]int {
	l.t.Helper()
	var got api.SearchStatus
	l.ask("GET", "/api/SearchStatus?host="+strings.TrimPrefix(s.URL, "http://"), nil, http.StatusOK, &got)
	return got.Items
}

func (l *local) finds(want map[string]int) {
	l.t.Helper()
	for q, n := range want {
		if got := l.search(q); got.Count != n {
			l.t.Errorf("%q finds %d pages, want %d", q, got.Count, n)
		}
	}
}

// kept counts the rows of an item's captures, and the blobs of all items.
func (l *local) kept(id source.ID) (captures, blobs int) {
	l.t.Helper()
	for _, err := range l.store.Table(snapshot.CapturesTable).Query(l.t.Context(), storage.Query{Partition: string(id)}) {
		if captures++; err != nil {
			l.t.Fatal(err)
		}
	}
	for _, err := range l.store.Container(snapshot.Container).List(l.t.Context(), "") {
		if blobs++; err != nil {
			l.t.Fatal(err)
		}
	}
	return captures, blobs
}

func idOf(t *testing.T, url string) source.ID {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return s.ID()
}

// TestA14SitesThatLoseMuch runs the app, as it is installed, through the weeks after two sites have lost three
// quarters of their pages at once. One site recovers before the second check.
func TestA14SitesThatLoseMuch(t *testing.T) {
	t.Parallel() // it mostly waits
	l := newLocal(t, map[string]string{"STORAGE": Embedded, "CRAWL_GONE_AFTER": "3", "CRAWL_PURGE_GONE_DAYS": "30"})
	l.start()
	tidied, broken := newPages(t), newPages(t)
	quays, docks := tidied.fill(40, "quay"), broken.fill(40, "dock")
	l.add(append(quays, docks...))
	l.await("80 pages are indexed", func() bool { return l.counts()[api.StatusIndexed] == 80 })

	tidied.lose(quays[10:])
	lost := broken.lose(docks[10:])
	for _, wait := range []time.Duration{26 * time.Hour, 7 * time.Hour, 13 * time.Hour} {
		l.later(wait) // all are due after a day, and missing pages again after six hours and after twelve
	}
	for _, s := range []*pages{tidied, broken} {
		if got := l.hostCounts(s); got[api.StatusGone] != 8 || got[api.StatusIndexed] != 32 {
			t.Fatalf("after three looks: %v, want a fifth gone and the others held", got)
		}
	}
	l.finds(map[string]int{"quay": 32, "dock": 32})

	for path, text := range lost {
		broken.put(path, text)
	}
	l.later(26 * time.Hour)
	if got := l.hostCounts(tidied); got[api.StatusGone] != 30 || got[api.StatusIndexed] != 10 {
		t.Errorf("after the second check: %v", got)
	}
	if got := l.hostCounts(broken); got[api.StatusIndexed] != 40 {
		t.Errorf("the site that recovered: %v", got)
	}
	l.finds(map[string]int{"quay": 10, "dock": 40})

	l.later(15 * 24 * time.Hour)
	if got := l.hostCounts(tidied); got[api.StatusGone] != 30 {
		t.Errorf("before their time is over: %v", got)
	}
	l.later(16 * 24 * time.Hour)
	if got := l.hostCounts(tidied); got[api.StatusGone] != 0 || got[api.StatusIndexed] != 10 {
		t.Errorf("after it: %v", got)
	}
	for _, u := range quays[10:] {
		l.ask("GET", "/api/items/"+string(idOf(t, u)), nil, http.StatusNotFound, nil)
		if captures, blobs := l.kept(idOf(t, u)); captures != 0 || blobs != 50 {
			t.Errorf("kept are %d rows of %s, and %d blobs, want those of 50 pages", captures, u, blobs)
		}
	}
	l.finds(map[string]int{"quay": 10, "dock": 40})
	l.checkInvariants()
}

// TestA21RetentionOfMonths runs the app over a page that changes every other day, and then stops changing.
func TestA21RetentionOfMonths(t *testing.T) {
	t.Parallel() // it mostly waits
	l := newLocal(t, map[string]string{"STORAGE": Embedded, "SNAPSHOT_KEEP_COUNT": "4", "SNAPSHOT_KEEP_DAYS": "10"})
	l.start()
	site := newPages(t)
	urls := site.fill(2, "pier")
	l.add(urls)
	l.await("they are indexed", func() bool { return l.counts()[api.StatusIndexed] == 2 })
	captures := func() (n int) {
		t.Helper()
		var got api.ItemDetail
		l.ask("GET", "/api/items/"+string(idOf(t, urls[0])), nil, http.StatusOK, &got)
		_, blobs := l.kept(idOf(t, urls[0]))
		if n = len(got.Captures); blobs != n+1 {
			t.Errorf("%d captures and that of the other page, %d blobs", n, blobs)
		}
		return n
	}
	for i := range 6 {
		site.put("/pier/0", fmt.Sprintf("Edition %d of the notice.", i))
		l.later(50 * time.Hour)
		if have, want := captures(), min(i+2, 4); have != want {
			t.Errorf("after %d changes: %d captures, want %d", i+1, have, want)
		}
	}
	for range 6 {
		l.later(50 * time.Hour)
	}
	if have := captures(); have != 1 {
		t.Errorf("after two weeks without a change: %d captures", have)
	}
	l.checkInvariants()
}
