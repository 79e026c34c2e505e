package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// rates measures the real handler behind the local host on both local stores, and the bare SDK
// doing the same storage operations on an Azurite of its own, alternately.
func (b *bench) rates() error {
	const rounds = 2
	stores := []string{"embedded", "azurite"}
	ours := map[string]workRates{}
	var bare workRates
	for range rounds {
		for _, storage := range stores {
			r, err := b.productRates(storage)
			if err != nil {
				return fmt.Errorf("%s: %w", storage, err)
			}
			ours[storage] = ours[storage].best(r)
		}
		r, err := b.bareRates()
		if err != nil {
			return err
		}
		bare = bare.best(r)
	}
	section(fmt.Sprintf("Rates through the handler and the local host, per second (best of %d alternating rounds)",
		rounds),
		"work", "embedded", "Azurite", "bare SDK on Azurite, same operations", "Azurite to bare SDK", "embedded to Azurite")
	for i, name := range []string{"registrations, in batches", "unchanged checks (304 from the site)",
		"changed pages, fetched and indexed"} {
		e, a, sdk := ours["embedded"][i], ours["azurite"][i], "–"
		ratio := any("–")
		if bare[i] > 0 {
			sdk, ratio = perSecondText(bare[i]), a/bare[i]
		}
		row(name, perSecondText(e), perSecondText(a), sdk, ratio, e/a)
	}
	return nil
}

func perSecondText(rate float64) string { return fmt.Sprintf("%.0f", rate) }

func perSecond(n int, began time.Time) float64 { return float64(n) / time.Since(began).Seconds() }

// workRates are registrations, unchanged checks and changed pages per second.
type workRates [3]float64

func (w workRates) best(other workRates) workRates {
	for i := range w {
		w[i] = max(w[i], other[i])
	}
	return w
}

// noTimer leaves sweeps to checkAll: one in the middle of makeDue would begin the checks before the
// clock does, and take rows from under its transactions.
const noTimer = "AzureWebJobs.CrawlTimer.Disabled=true"

// productRates starts everything as a user would and measures it from outside.
func (b *bench) productRates(storage string) (w workRates, err error) {
	s, err := newSite()
	if err != nil {
		return w, err
	}
	defer s.close()
	p, err := b.startProduct(storage, noTimer)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	urls := s.urls(b.hosts, b.pages)
	began := time.Now()
	if err := p.add(urls); err != nil {
		return w, err
	}
	w[0] = perSecond(len(urls), began)
	if err := errors.Join(p.answered(&s.served, int64(len(urls))), p.until(idle)); err != nil {
		return w, err
	}
	if w[1], err = p.checkAll(len(urls), &s.notMod); err != nil {
		return w, err
	}
	s.version.Add(1)
	w[2], err = p.checkAll(len(urls), &s.served)
	return w, err
}

// checkAll makes every page due and measures until the site has given as many answers of the
// kind that counter counts, and what they say is committed.
func (p *product) checkAll(pages int, counter *atomic.Int64) (rate float64, err error) {
	if err := makeDue(p.b.ctx, p.store); err != nil {
		return 0, err
	}
	want, began := counter.Load()+int64(pages), time.Now()
	err = p.trigger("CrawlTimer")
	if err == nil {
		err = errors.Join(p.answered(counter, want), p.until(idle))
	}
	return perSecond(pages, began), err
}
