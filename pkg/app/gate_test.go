package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// E3: the handlers of several hosts over one store keep the limits of the site file, as seen by the site. A third of
// the delay is allowed for the time between a start and the arrival of a request. By the settings alone this host,
// which is allow-listed, would have no delay and four concurrent requests.
func TestE3SeveralHandlers(t *testing.T) {
	t.Parallel() // it mostly waits
	const least, pages = 300 * time.Millisecond, 12
	var mu sync.Mutex
	var starts []time.Time
	flying, most := 0, 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		starts = append(starts, time.Now())
		flying++
		most = max(most, flying)
		mu.Unlock()
		defer func() { mu.Lock(); flying--; mu.Unlock() }()
		time.Sleep(30 * time.Millisecond)
		fmt.Fprintf(w, "<title>%s</title><main><p>The page %[1]s stands here.</p></main>", r.URL.Path)
	}))
	defer site.Close()
	u, _ := url.Parse(site.URL)
	file := filepath.Join(t.TempDir(), "sites.yaml")
	text := fmt.Sprintf("sites:\n  - slug: port\n    domain: %q\n    limits: {minDelayMs: 300, maxDelayMs: 500, "+
		"maxConcurrent: 1}\n", u.Host)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &crash{local: &local{t: t, dir: buildApp(t), env: map[string]string{
		"STORAGE": Embedded, "PATH": os.Getenv("PATH"), "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.1",
		"BACKFILL_SITES_FILE": file, "CRAWL_SOFT_404": "false",
	}}}
	for range 2 {
		c.awaitReady(startTree(t, c.dir, c.environ()))
	}
	for i := range pages { // one at a time, so that there are many jobs
		c.add([]string{fmt.Sprintf("%s/%d", site.URL, i)})
	}
	deadline := time.Now().Add(90 * time.Second)
	for ; c.counts()[api.StatusIndexed] < pages; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 90 seconds: %v", c.counts())
		}
	}
	mu.Lock()
	defer mu.Unlock()
	var gaps []time.Duration
	for i := 1; i < len(starts); i++ {
		gaps = append(gaps, starts[i].Sub(starts[i-1]))
	}
	t.Logf("at most %d at once, gaps %v", most, gaps)
	if most != 1 || slices.Min(gaps) < least*2/3 {
		t.Errorf("%d requests at once, two starts %v apart; want 1, %v", most, slices.Min(gaps), least)
	}
}
