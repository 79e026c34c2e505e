package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	killedHosts = 16
	killedPages = 60 // of each host
	killedInUse = 384
	givenBack   = 10 * time.Second // after which the host gives the messages of a failed call out again
)

// askedSite knows when a page was asked for again.
type askedSite struct {
	pages http.Handler
	mu    sync.Mutex
	asked map[string]int
	again time.Time // when a page was asked for a second time
}

func (s *askedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.Host+r.URL.Path]++
	if s.asked[r.Host+r.URL.Path] == 2 && s.again.IsZero() && strings.HasPrefix(r.URL.Path, "/page/") {
		s.again = time.Now()
	}
	s.mu.Unlock()
	s.pages.ServeHTTP(w, r)
}

// killed measures what a kill of the handler costs: a crawl of everything, and the same crawl with the handler killed
// when 384 pages are in work, from the moment in which the first of these pages is asked for again.
func (b *bench) killed() error {
	calm, _, err := b.crawlKilled(false)
	if err != nil {
		return err
	}
	killed, twice, err := b.crawlKilled(true)
	if err != nil {
		return err
	}
	section(fmt.Sprintf("The handler is killed in a crawl of %d pages on %d hosts, each answered after .1 s",
		killedHosts*killedPages, killedHosts), "crawl", "seconds", "ratio", "aim", "pages asked for twice")
	row("without a kill", calm.Seconds(), "", "", "")
	row("with a kill, once its pages are back", killed.Seconds(), killed.Seconds()/calm.Seconds(), "≤ 1.3", twice)
	return nil
}

// crawlKilled crawls all pages, and returns how long that takes: after a kill, from the moment in which the pages that
// were in work are back.
func (b *bench) crawlKilled(kill bool) (took time.Duration, twice int, err error) {
	web := &askedSite{pages: &site{pause: 100 * time.Millisecond}, asked: map[string]int{}}
	server, port, err := serve(web)
	if err != nil {
		return 0, 0, err
	}
	defer server.Close()
	p, err := b.startProduct("embedded", "CRAWL_MIN_DELAY_MS=0", "CRAWL_MAX_DELAY_MS=0")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	began := time.Now()
	if err := p.add((&site{port: port}).urls(killedHosts, killedPages)); err != nil {
		return 0, 0, err
	}
	var dead time.Time
	if kill {
		if err := p.until(func(st api.SearchStatus) bool { return st.InFlight >= killedInUse }); err != nil {
			return 0, 0, err
		}
		for _, pid := range children(p.cmd.Process.Pid) {
			if handler, err := os.FindProcess(pid); err == nil {
				_ = handler.Kill()
			}
		}
		dead = time.Now()
	}
	err = b.wait(15*time.Minute, 100*time.Millisecond, "all pages are indexed", func() (bool, error) {
		st, err := api.GetStatus.Call(b.ctx, p.client, api.StatusQuery{})
		return err == nil && idle(st) && st.Items[api.StatusIndexed] == killedHosts*killedPages, err
	})
	web.mu.Lock()
	defer web.mu.Unlock()
	if kill {
		if began = web.again; began.IsZero() { // no page is in work twice if the kill falls between requests
			began = dead.Add(givenBack)
		}
	}
	for page, n := range web.asked {
		if n > 1 && strings.Contains(page, "/page/") {
			twice++
		}
	}
	return time.Since(began), twice, err
}
