// Command colly crawls a list of pages with colly, extracts them with Tidemark's own extractor and stores each
// durably in SQLite. It is the program that a Go developer would write in an afternoon, and the baseline for
// Tidemark's pages per second.
package main

import (
	"fmt"
	"os"

	"github.com/gocolly/colly/v2"

	"github.com/tidemark/tidemark/testing/baselines/internal/clock"
	"github.com/tidemark/tidemark/testing/baselines/internal/keep"
)

func main() { keep.Main(run) }

func run(k *keep.Keeper, urls []string, parallel int) error {
	c := colly.NewCollector(colly.Async(true), colly.MaxBodySize(0))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		return err
	}
	c.OnResponse(func(r *colly.Response) {
		p := keep.Page{URL: r.Request.URL.String(), Header: *r.Headers, Body: r.Body}
		err := p.Read()
		if err == nil {
			err = k.Store(&p)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, p.URL, err)
		}
	})
	began := clock.Now()
	for _, u := range urls {
		if err := c.Visit(u); err != nil {
			return fmt.Errorf("%s: %w", u, err)
		}
	}
	c.Wait()
	kept, err := k.ETags()
	began.Tell("first", len(kept))
	return err
}
