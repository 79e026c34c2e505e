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

// crawl measures pages per second from the first request to the last page searchable, all state
// durable, on one host with four requests in flight; beside it the same site crawled by colly with
// the same extraction, kept and indexed in SQLite.
func (b *bench) crawl() error {
	const pages, rounds = 2000, 2
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	urls := s.urls(1, pages)
	best := map[string]float64{}
	for range rounds {
		for _, storage := range []string{"embedded", "azurite"} {
			rate, err := b.crawlOn(storage, s, urls)
			if err != nil {
				return fmt.Errorf("%s: %w", storage, err)
			}
			best[storage] = max(best[storage], rate)
		}
		rate, err := b.colly(urls)
		if err != nil {
			return err
		}
		best["colly"] = max(best["colly"], rate)
	}
	section(fmt.Sprintf("First crawl of %d pages on one host (best of %d alternating rounds)", pages, rounds), "crawler",
		"pages per second", "ratio to colly")
	for _, name := range []string{"embedded", "azurite", "colly"} {
		label := name
		if name != "colly" {
			label = "Tidemark, STORAGE=" + name
		}
		row(label, fmt.Sprintf("%.0f", best[name]), best[name]/best["colly"])
	}
	return nil
}

func (b *bench) crawlOn(storage string, s *site, urls []string) (rate float64, err error) {
	p, err := b.startProduct(storage)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	want, began := s.served.Load()+int64(len(urls)), time.Now()
	if err := p.add(urls); err != nil {
		return 0, err
	}
	if err := p.answered(&s.served, want); err != nil {
		return 0, err
	}
	err = p.until(func(st api.SearchStatus) bool { return st.Items[api.StatusIndexed] == len(urls) })
	return perSecond(len(urls), began), err
}

// colly runs the baseline, which lives in a module of its own: its dependencies are not ours.
func (b *bench) colly(urls []string) (float64, error) {
	exe, list := b.temp("colly"), b.temp("urls.txt")
	if err := os.WriteFile(list, []byte(strings.Join(urls, "\n")), 0o644); err != nil {
		return 0, err
	}
	build := exec.CommandContext(b.ctx, "go", "build", "-o", exe, "./colly")
	build.Dir, build.Stderr = "testing/baselines", os.Stderr
	if err := build.Run(); err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(b.ctx, exe, "-urls", list).Output()
	if err != nil {
		return 0, err
	}
	var n int
	var rate float64
	if _, err := fmt.Sscanf(string(out), "%d pages, %f pages/s", &n, &rate); err != nil || n != len(urls) {
		return 0, fmt.Errorf("colly said %q", out)
	}
	return rate, nil
}
