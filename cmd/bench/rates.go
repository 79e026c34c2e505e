package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage"
)

// rates measures the real handler behind the local host on both local stores, and the bare SDK
// doing the same storage operations on an Azurite of its own, alternately.
func (b *bench) rates() error {
	const rounds = 3
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
		register, check, err := b.bareRates()
		if err != nil {
			return err
		}
		bare = bare.best(workRates{register, check, 0})
	}
	section(fmt.Sprintf("Rates through the handler and the local host, per second (best of %d alternating rounds)", rounds),
		"work", "embedded", "Azurite", "bare SDK on Azurite, same operations", "Azurite to bare SDK", "embedded to Azurite")
	for i, name := range []string{"registrations, in batches", "unchanged checks (304 from the site)", "changed pages, fetched and indexed"} {
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

// workRates are registrations, unchanged checks and changed pages per second.
type workRates [3]float64

func (w workRates) best(other workRates) workRates {
	for i := range w {
		w[i] = max(w[i], other[i])
	}
	return w
}

// productRates starts everything as a user would and measures it from outside.
func (b *bench) productRates(storage string) (w workRates, err error) {
	s, err := newSite()
	if err != nil {
		return w, err
	}
	defer s.close()
	p, err := b.startProduct(storage)
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
	if err := p.idle(); err != nil {
		return w, err
	}
	if w[1], err = p.checkAll(len(urls), &s.notMod); err != nil {
		return w, err
	}
	s.version.Add(1)
	w[2], err = p.checkAll(len(urls), &s.served)
	return w, err
}

// add registers pages in as few requests as the API allows.
func (p *product) add(urls []string) error {
	for batch := range slices.Chunk(urls, api.MaxBatch) {
		if _, err := p.client.AddURLs(p.b.ctx, batch, api.AddOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// checkAll makes every page due and measures until nothing is left to do. The site must have
// given as many answers of the kind that answered counts.
func (p *product) checkAll(pages int, answered *atomic.Int64) (rate float64, err error) {
	if err := makeDue(p.b.ctx, p.store); err != nil {
		return 0, err
	}
	before, began := answered.Load(), time.Now()
	if err := p.trigger("CrawlTimer"); err != nil {
		return 0, err
	}
	if err := p.idle(); err != nil {
		return 0, err
	}
	if n := answered.Load() - before; n != int64(pages) {
		return 0, fmt.Errorf("%d answers of the site for %d pages", n, pages)
	}
	return perSecond(pages, began), nil
}

func perSecond(n int, began time.Time) float64 { return float64(n) / time.Since(began).Seconds() }

// product is a running `tidemark start`.
type product struct {
	b      *bench
	cmd    *exec.Cmd
	server string
	client *api.Client
	store  storage.Store
}

func (b *bench) startProduct(storage string) (*product, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	az, err := freePort()
	if err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp(b.dir, "data-")
	if err != nil {
		return nil, err
	}
	p := &product{b: b, server: fmt.Sprintf("http://localhost:%d", port)}
	p.client = api.NewClient(p.server, "", nil)
	p.cmd = exec.Command("build/tidemark", "start", "--app", b.app, "--tools", b.tools, "--data", data,
		"--port", fmt.Sprint(port), "--azurite-port-base", fmt.Sprint(az))
	p.cmd.Env = append(os.Environ(), "CRAWL_ALLOW_HOSTS=127.0.0.0/8", "STORAGE="+storage)
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w (make build builds it)", err)
	}
	if err := answers(p.server+"/api/health", time.Minute); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	p.store, err = app.OpenStore(settingsOf(map[string]string{
		"STORAGE": storage, "TIDEMARK_DATA": data,
		"AzureWebJobsStorage": "UseDevelopmentStorage=true", "AZURITE_PORT_BASE": fmt.Sprint(az),
	}), slog.New(slog.DiscardHandler))
	return p, err
}

func (p *product) stop() error {
	if p.store != nil {
		_ = p.store.Close() // only read
	}
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	return p.cmd.Wait()
}

func (p *product) idle() error {
	deadline := time.Now().Add(3 * time.Minute)
	for {
		st, err := p.client.Status(p.b.ctx, "")
		if err != nil || st.Backlog() == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the backlog does not drain: %+v", st.Counts)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// trigger runs a function by the host's admin interface, as the portal does.
func (p *product) trigger(function string) error {
	resp, err := http.Post(p.server+"/admin/functions/"+function, "application/json", bytes.NewReader([]byte("{}")))
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("%s could not be triggered: %s", function, resp.Status)
	}
	return nil
}
