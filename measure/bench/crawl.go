package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// A phase is the work of a crawler on all pages.
type phase struct {
	rate    float64       // pages per second
	cpu     time.Duration // processor time of all processes of the crawler
	written int64         // bytes written to disk, index included; 0 if not measured
}

func (p phase) best(other phase) phase {
	if other.rate > p.rate {
		return other
	}
	return p
}

// crawled is the result of one crawler on one kind of pages: the first crawl, and then a check of each page that
// finds it unchanged.
type crawled struct{ first, unchanged phase }

// crawl measures pages per second on one host, with four requests in flight, from the first request until the last
// page can be found. All state is durable. Then it measures checks of unchanged pages. The baselines crawl the same
// site with the same extraction, and store and index it in SQLite.
func (b *bench) crawl() error {
	docs, err := docPages(3000)
	if err != nil {
		return err
	}
	if err := b.crawlAll("generated pages", 2000, nil); err != nil || len(docs) == 0 {
		return err
	}
	return b.crawlAll("pages of documentation", len(docs), docs)
}

func (b *bench) crawlAll(what string, pages int, docs [][]byte) error {
	const rounds = 2
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	s.docs = docs
	urls := s.urls(1, pages)
	names := []string{"Tidemark", inMemory, "colly", "loop"}
	best := map[string]crawled{}
	for range rounds {
		for _, name := range names {
			var c crawled
			switch name {
			case "Tidemark":
				c, err = b.crawlOurs(s, urls)
			case inMemory:
				c, err = b.crawlInMemory(urls)
			default:
				c, err = b.baseline(name, urls)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			best[name] = crawled{best[name].first.best(c.first), best[name].unchanged.best(c.unchanged)}
		}
	}
	printCrawls(fmt.Sprintf("First crawl of %d %s on one host, and unchanged checks (best of %d alternating rounds; "+
		"load %s)", pages, what, rounds, load()), names, best, pages)
	aim, have := best[inMemory].first, best["Tidemark"].first
	fmt.Printf("\nThe aim, what a store in memory reaches: %.2f of the loop's pages a second; %.2f reached. %.2f times "+
		"its processor time.\n", aim.rate/best["loop"].first.rate, have.rate/best["loop"].first.rate,
		float64(have.cpu)/float64(aim.cpu))
	return nil
}

func printCrawls(title string, names []string, all map[string]crawled, pages int) {
	section(title, "crawler", "pages per second", "to colly", "to loop", "CPU, ms a page",
		"KB written a page", "unchanged per second", "to loop", "CPU, ms a check")
	perPage := func(p phase) string {
		return fmt.Sprintf("%.2f", float64(p.cpu.Microseconds())/1000/float64(pages))
	}
	for _, name := range names {
		c := all[name]
		cells := []any{name, perSecondText(c.first.rate), c.first.rate / all["colly"].first.rate,
			c.first.rate / all["loop"].first.rate, perPage(c.first), "–", "–", "–", "–"}
		if c.first.written > 0 {
			cells[5] = c.first.written / 1000 / int64(pages)
		}
		if c.unchanged.rate > 0 {
			cells = append(cells[:6], perSecondText(c.unchanged.rate), c.unchanged.rate/all["loop"].unchanged.rate,
				perPage(c.unchanged))
		}
		row(cells...)
	}
}

func (b *bench) crawlOurs(s *site, urls []string) (c crawled, err error) {
	p, err := b.startProduct("embedded", noTimer)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	want, began, cpu := s.served.Load()+int64(len(urls)), time.Now(), p.processor()
	written := p.written()
	if err := p.add(urls); err != nil {
		return c, err
	}
	if err := p.answered(&s.served, want); err != nil {
		return c, err
	}
	// Some pages of documentation are not indexed, because they have no text or the same text as another page.
	err = p.until(func(st api.SearchStatus) bool {
		return idle(st) && st.Items[api.StatusIndexed] > len(urls)*9/10
	})
	c.first = phase{perSecond(len(urls), began), p.processor() - cpu, p.written() - written}
	if err != nil {
		return c, err
	}
	cpu = p.processor()
	checked, err := p.checkAll(len(urls), &s.notMod)
	c.unchanged.rate = checked.rate
	c.unchanged.cpu = p.processor() - cpu
	return c, err
}

// baseline runs a crawler from a separate module, so that Tidemark does not depend on it.
func (b *bench) baseline(name string, urls []string) (c crawled, err error) {
	exe, list := b.temp(name), b.temp("urls.txt")
	if err := os.WriteFile(list, []byte(strings.Join(urls, "\n")), 0o644); err != nil {
		return c, err
	}
	build := exec.CommandContext(b.ctx, "go", "build", "-o", exe, "./"+name)
	build.Dir, build.Stderr = "testing/baselines", os.Stderr
	if err := build.Run(); err != nil {
		return c, err
	}
	run := exec.CommandContext(b.ctx, exe, "-urls", list)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(out)) {
		var n int
		var seconds, cpu float64
		name, rest, _ := strings.Cut(line, ": ")
		if _, err := fmt.Sscanf(rest, "%d pages, %f s, %f s of processor", &n, &seconds, &cpu); err != nil || n != len(urls) {
			return c, fmt.Errorf("said %q", line)
		}
		p := phase{rate: float64(n) / seconds, cpu: time.Duration(cpu * float64(time.Second))}
		if name == "first" {
			c.first = p
		} else {
			c.unchanged = p
		}
	}
	return c, nil
}
