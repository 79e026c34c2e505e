package app

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
)

var (
	crashRounds = flag.Int("crash.rounds", 4, "how often TestCrash kills the app")
	crashPages  = flag.Int("crash.pages", 300, "how many pages TestCrash registers")
	crashSeed   = flag.Uint64("crash.seed", 0,
		"seed of what TestCrash does and when (the processes keep their own time); 0 for another each time")
)

// TestCrash kills the host and the handler on the embedded store at random moments, again and again, while pages are
// registered, changed and crawled. In the end everything that was acknowledged exists, the index has the current
// content, and the site received no more requests than the crashes explain.
func TestCrash(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-crash.seed %d", seed)
	c := newCrash(t, rand.New(rand.NewPCG(seed, 0)), *crashPages)
	for round := range *crashRounds {
		c.quota = (round + 1) * *crashPages / *crashRounds
		c.round(round)
	}
	c.drain()
	c.judge()
}

// crash is an app that is killed now and then, its site, and what the app acknowledged.
type crash struct {
	*local
	site *crashSite
	rng  *rand.Rand

	quota    int            // pages that may be registered by the end of this round
	editions []int          // edition of each page of the site, registered or not
	retry    []int          // pages whose registration was not acknowledged
	acked    map[int]bool   // pages whose registration was acknowledged
	attempts map[string]int // registrations sent, by path
	sending  chan struct{}  // receives a value when a registration is sent
	kills    int
	busy     int // kills while pages were still being registered
}

func newCrash(t *testing.T, rng *rand.Rand, pages int) *crash {
	const year = "31536000" // a page is due again only if it is registered again
	c := &crash{site: newCrashSite(t), rng: rng, acked: map[int]bool{}, attempts: map[string]int{},
		sending: make(chan struct{}, 1)}
	c.local = &local{t: t, dir: buildApp(t), env: map[string]string{
		"STORAGE": Embedded, "PATH": os.Getenv("PATH"), "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.1",
		"CRAWL_BASE_INTERVAL_SECONDS": year, "CRAWL_MAX_INTERVAL_SECONDS": year,
	}}
	c.quota = pages
	return c
}

// round starts the app, registers pages and kills the app at a random moment. The first kill happens during the work,
// some of the others during the start.
func (c *crash) round(n int) {
	c.t.Helper()
	begun := time.Now()
	tree := startTree(c.t, c.dir, c.environ())
	wait := time.Duration(c.rng.IntN(1200)) * time.Millisecond
	if n > 0 && c.rng.IntN(5) == 0 {
		time.Sleep(wait / 3)
		c.kill(tree)
		c.t.Logf("round %d: killed %v after the start", n, time.Since(begun).Round(time.Millisecond))
		c.between()
		return
	}
	if n == 0 {
		wait = wait/4 + 100*time.Millisecond
	}
	c.awaitReady(tree)
	var killed atomic.Bool
	fed := make(chan bool, 1)
	moment := rand.New(rand.NewPCG(c.rng.Uint64(), 0)) // the feed uses the other generator meanwhile
	go func() { fed <- c.feed(&killed) }()
	time.Sleep(wait)
	if moment.IntN(2) == 0 { // during a registration
		c.awaitSending()
		time.Sleep(time.Duration(moment.IntN(2000)) * time.Microsecond)
	}
	killed.Store(true)
	c.kill(tree)
	if complete := <-fed; !complete {
		c.busy++
	}
	requests, _ := c.site.log()
	c.t.Logf("round %d: killed %v after it was ready; %d pages acknowledged, %d asked for, %d registrations unanswered",
		n, wait, len(c.acked), len(requests), len(c.retry))
	c.between()
}

func (c *crash) kill(tree *crashTree) {
	c.t.Helper()
	tree.kill(c.t)
	c.kills++
}

// awaitReady waits until the host is ready.
func (c *crash) awaitReady(tree *crashTree) {
	c.t.Helper()
	select {
	case addr := <-tree.ready:
		c.base = "http://" + addr
	case <-tree.ended:
		c.t.Fatal("the host ended by itself")
	case <-time.After(60 * time.Second):
		c.t.Fatal("the host is not ready")
	}
}

// awaitSending waits for the next registration.
func (c *crash) awaitSending() {
	select {
	case <-c.sending: // an old one
	default:
	}
	select {
	case <-c.sending:
	case <-time.After(200 * time.Millisecond): // all are registered
	}
}

// between checks what the killed app left, every other time; at the other times the app itself is the first to open
// it. It also moves the stored times back, so that the locks of the killed app have expired.
func (c *crash) between() {
	c.t.Helper()
	if c.rng.IntN(2) == 0 {
		return
	}
	c.opened(func() {
		c.checkInvariants()
		c.pass(lockAndTrust)
	})
	if c.t.Failed() {
		c.t.FailNow()
	}
}

// opened opens the store while the app is not running.
func (c *crash) opened(f func()) {
	c.t.Helper()
	s, err := OpenStore(c.setting, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.store = s
	defer s.Close()
	ctx := c.t.Context()
	if err := registry.New(s, registry.Options{}).Create(ctx); err != nil { // the app may have been killed first
		c.t.Fatal(err)
	}
	f()
}

// feed registers the pages of this round. It reports true when all are registered, and false when the app is killed
// first.
func (c *crash) feed(killed *atomic.Bool) (complete bool) {
	client := api.NewClient(c.base, "", &http.Client{Timeout: time.Minute, Transport: &http.Transport{}})
	for !killed.Load() {
		batch := c.pick()
		if len(batch) == 0 {
			return true
		}
		if err := c.register(client, batch); err != nil {
			c.retry = append(c.retry, batch...)
			if !killed.Load() {
				c.t.Errorf("registering: %v", err)
			}
			return false
		}
		time.Sleep(time.Duration(c.rng.IntN(100)) * time.Millisecond)
	}
	return false
}

// pick chooses pages whose registration was not acknowledged, or pages to change, or new ones.
func (c *crash) pick() (batch []int) {
	n := 1 + c.rng.IntN(12)
	switch {
	case len(c.retry) > 0:
		batch, c.retry = c.retry, nil
	case len(c.editions) < c.quota && (len(c.editions) == 0 || c.rng.IntN(3) > 0):
		for range min(n, c.quota-len(c.editions)) {
			batch = append(batch, len(c.editions))
			c.editions = append(c.editions, 0)
		}
	case len(c.editions) < c.quota:
		from := c.rng.IntN(len(c.editions))
		for page := from; page < min(from+n, len(c.editions)); page++ {
			batch = append(batch, page)
			c.editions[page]++
		}
	}
	for _, page := range batch {
		c.site.put(path(page), text(page, c.editions[page]))
	}
	return batch
}

func (c *crash) register(client *api.Client, batch []int) error {
	var urls []string
	for _, page := range batch {
		urls = append(urls, c.site.URL+path(page))
		c.attempts[path(page)]++
	}
	select {
	case c.sending <- struct{}{}:
	default:
	}
	got, err := client.AddURLs(c.t.Context(), urls, api.AddOptions{})
	if err != nil {
		return err
	}
	for i, r := range got.Items {
		if r.Error != "" {
			return fmt.Errorf("%s: %s", r.Source, r.Error)
		}
		c.acked[batch[i]] = true
	}
	return nil
}

// drain lets the app finish all work, and kills it once more.
func (c *crash) drain() {
	c.t.Helper()
	c.opened(func() { c.pass(2 * time.Hour) }) // a page that was in work at three kills is put off for an hour
	tree := startTree(c.t, c.dir, c.environ())
	c.awaitReady(tree)
	if !c.feed(new(atomic.Bool)) {
		c.t.FailNow()
	}
	asked := map[string]bool{}
	c.await("everything is done", func() bool {
		c.invoke("CrawlTimer")
		c.askAgain(asked)
		return c.idle() && c.counts()[api.StatusIndexed] == len(c.editions) && !c.putOff()
	})
	c.kill(tree)
}

// putOff reports whether a page waits to be tried alone. All others are due in a year.
func (c *crash) putOff() bool {
	c.t.Helper()
	var all api.ItemPage
	c.ask("GET", "/api/items?top=1000", nil, http.StatusOK, &all)
	return slices.ContainsFunc(all.Items, func(it api.Item) bool { return time.Until(it.NextCrawlAt) < 24*time.Hour })
}

// askAgain registers pages again if their check has failed, which may happen on a busy machine. Their next try is
// minutes away.
func (c *crash) askAgain(asked map[string]bool) {
	c.t.Helper()
	var failed api.ItemPage
	c.ask("GET", "/api/items?status=Error&top=100", nil, http.StatusOK, &failed)
	for _, it := range failed.Items {
		url := it.DisplaySource
		if asked[url] {
			continue
		}
		c.t.Logf("asked again for %s: %s", url, it.ErrorMessage)
		asked[url] = true
		c.attempts[strings.TrimPrefix(url, c.site.URL)]++
		c.add([]string{url})
	}
}

func (c *crash) index() string { return filepath.Join(c.env["TIDEMARK_DATA"], "index.db") }
