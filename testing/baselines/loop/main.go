// Command loop crawls a list of pages with nothing but net/http, Tidemark's own extractor and chunks, and SQLite in
// transactions of a hundred pages. Then it requests each page again with its validator. It keeps no schedule, history
// or lineage, and a crash loses uncommitted pages: it is what remains without all of Tidemark's promises.
package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/tidemark/tidemark/testing/baselines/internal/clock"
	"github.com/tidemark/tidemark/testing/baselines/internal/keep"
)

// group is how many pages are in a transaction.
const group = 100

func main() { keep.Main(run) }

func run(k *keep.Keeper, urls []string, parallel int) error {
	l := &loop{k: k, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}}, parallel: parallel}
	began := clock.Now()
	if err := l.first(urls); err != nil {
		return err
	}
	began.Tell("first", len(urls))
	began = clock.Now()
	if err := l.again(urls); err != nil {
		return err
	}
	began.Tell("unchanged", len(urls))
	return nil
}

type loop struct {
	k        *keep.Keeper
	client   *http.Client
	parallel int
}

// first fetches and stores every page.
func (l *loop) first(urls []string) error {
	pages := each(urls, l.parallel, func(url string) (*keep.Page, error) {
		p, status, err := l.get(url, "")
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s: status %d", url, status)
		}
		if err == nil {
			err = p.Read()
		}
		return p, err
	})
	return inGroups(pages, func(some []*keep.Page) error { return l.k.Store(some...) })
}

// again requests every page with its validator.
func (l *loop) again(urls []string) error {
	etags, err := l.k.ETags()
	if err != nil {
		return err
	}
	checked := each(urls, l.parallel, func(url string) (string, error) {
		_, status, err := l.get(url, etags[url])
		if err == nil && status != http.StatusNotModified {
			err = fmt.Errorf("%s: status %d", url, status)
		}
		return url, err
	})
	return inGroups(checked, l.k.Checked)
}

func (l *loop) get(url, etag string) (*keep.Page, int, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return &keep.Page{URL: url, Header: resp.Header, Body: body}, resp.StatusCode, err
}

type result[T any] struct {
	value T
	err   error
}

// each calls do for every URL, parallel at a time.
func each[T any](urls []string, parallel int, do func(url string) (T, error)) <-chan result[T] {
	todo, done := make(chan string), make(chan result[T], group)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for url := range todo {
				v, err := do(url)
				done <- result[T]{v, err}
			}
		})
	}
	go func() {
		for _, u := range urls {
			todo <- u
		}
		close(todo)
		wg.Wait()
		close(done)
	}()
	return done
}

// inGroups passes the results to keep, a group at a time.
func inGroups[T any](from <-chan result[T], keep func([]T) error) error {
	var all []T
	for r := range from {
		if r.err != nil {
			return r.err
		}
		if all = append(all, r.value); len(all) == group {
			if err := keep(all); err != nil {
				return err
			}
			all = all[:0]
		}
	}
	return keep(all)
}
