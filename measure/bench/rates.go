package main

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// rates measures the real handler behind the local host, on both local stores. The baseline, which runs in
// alternation, is the bare SDK: it does the same storage operations on an Azurite of its own.
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
		"work", "embedded", "Azurite", "bare SDK on Azurite, same operations", "Azurite to bare SDK", "embedded to Azurite",
		"ms of Azurite's processor", "of it for the bare SDK", "bare SDK to Tidemark")
	for i, name := range []string{"registrations, in batches", "unchanged checks (304 from the site)",
		"changed pages, fetched and indexed"} {
		e, a, sdk := ours["embedded"][i], ours["azurite"][i], bare[i]
		row(name, perSecondText(e.rate), perSecondText(a.rate), perSecondText(sdk.rate), a.rate/sdk.rate, e.rate/a.rate,
			a.azurite, sdk.azurite, sdk.azurite/a.azurite)
	}
	return nil
}

func perSecondText(rate float64) string { return fmt.Sprintf("%.0f", rate) }

func perSecond(n int, began time.Time) float64 { return float64(n) / time.Since(began).Seconds() }

// workRates are the rates of registrations, unchanged checks and changed pages.
type workRates [3]workRate

// A workRate has the number of units of work done per second, and the milliseconds of Azurite's processor time per
// unit. The load of the machine hardly changes the processor time.
type workRate struct{ rate, azurite float64 }

func (w workRates) best(other workRates) workRates {
	for i := range w {
		w[i].rate = max(w[i].rate, other[i].rate)
		if w[i].azurite == 0 || other[i].azurite < w[i].azurite {
			w[i].azurite = other[i].azurite
		}
	}
	return w
}

// rateOf measures work on a number of pages.
func rateOf(pages int, work func() error) (w workRate, err error) {
	began, server := time.Now(), familyTime(os.Getpid(), "node")
	err = work()
	w.rate = perSecond(pages, began)
	w.azurite = float64((familyTime(os.Getpid(), "node") - server).Microseconds()) / 1000 / float64(pages)
	return w, err
}

// noTimer disables the timer, so that only checkAll starts sweeps. A sweep in the middle of makeDue would start
// checks before the measurement, and delete rows that makeDue's transactions need.
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
	if w[0], err = rateOf(len(urls), func() error { return p.add(urls) }); err != nil {
		return w, err
	}
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

// checkAll makes every page due. It measures the time until the site has answered as many requests as there are
// pages, and all results are committed.
func (p *product) checkAll(pages int, counter *atomic.Int64) (w workRate, err error) {
	if err := makeDue(p.b.ctx, p.store); err != nil {
		return w, err
	}
	want := counter.Load() + int64(pages)
	return rateOf(pages, func() error {
		if err := p.trigger("CrawlTimer"); err != nil {
			return err
		}
		return errors.Join(p.answered(counter, want), p.until(idle))
	})
}
