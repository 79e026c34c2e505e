package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage"
)

// rates measures the real handler behind the local host on Azurite, and the bare SDK doing the
// same storage operations on an Azurite of its own, alternately.
func (b *bench) rates() error {
	const rounds = 3
	var register, check, bareRegister, bareCheck []float64
	for range rounds {
		r, c, err := b.productRates()
		if err != nil {
			return err
		}
		br, bc, err := b.bareRates()
		if err != nil {
			return err
		}
		register, check = append(register, r), append(check, c)
		bareRegister, bareCheck = append(bareRegister, br), append(bareCheck, bc)
	}
	section(fmt.Sprintf("Rates through the handler and the local host on Azurite (best of %d alternating rounds)", rounds), "work", "Tidemark, per second", "bare SDK, same operations", "ratio")
	for _, r := range []struct {
		name       string
		ours, bare []float64
	}{{"registrations, in batches", register, bareRegister}, {"unchanged checks, all the way (304 from the site)", check, bareCheck}} {
		ours, bare := best(r.ours), best(r.bare)
		row(r.name, fmt.Sprintf("%.0f", ours), fmt.Sprintf("%.0f", bare), ours/bare)
	}
	return nil
}

func best(v []float64) float64 {
	m := v[0]
	for _, x := range v {
		m = max(m, x)
	}
	return m
}

// productRates starts everything as a user would and measures it from outside.
func (b *bench) productRates() (register, check float64, err error) {
	s, err := newSite()
	if err != nil {
		return 0, 0, err
	}
	defer s.close()
	p, err := b.startProduct("azurite")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	urls := s.urls(b.hosts, b.pages)
	began := time.Now()
	for rest := urls; len(rest) > 0; {
		n := min(len(rest), api.MaxBatch)
		if _, err := p.client.AddURLs(b.ctx, rest[:n], false); err != nil {
			return 0, 0, err
		}
		rest = rest[n:]
	}
	register = perSecond(len(urls), began)
	if err := p.idle(); err != nil {
		return 0, 0, err
	}
	if err := makeDue(b.ctx, p.store); err != nil {
		return 0, 0, err
	}
	before := s.notMod.Load()
	began = time.Now()
	if err := p.trigger("CrawlTimer"); err != nil {
		return 0, 0, err
	}
	for s.notMod.Load()-before < int64(len(urls)) {
		if time.Since(began) > 3*time.Minute {
			return 0, 0, fmt.Errorf("only %d of %d checks in three minutes", s.notMod.Load()-before, len(urls))
		}
		time.Sleep(10 * time.Millisecond)
	}
	check = perSecond(len(urls), began)
	return register, check, p.idle()
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
