package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A product is a running `tidemark start`.
type product struct {
	b      *bench
	cmd    *exec.Cmd
	server string
	data   string // folder
	client *api.Client
	store  storage.Store
}

// startProduct starts everything as a user would, on an empty data folder and with additional settings
// ("NAME=value"), and waits until it is healthy.
func (b *bench) startProduct(storage string, settings ...string) (*product, error) {
	data, err := os.MkdirTemp(b.dir, "data-")
	if err != nil {
		return nil, err
	}
	return b.startOn(data, storage, settings...)
}

// startOn is startProduct on a data folder that may be in use since before.
func (b *bench) startOn(data, storage string, settings ...string) (*product, error) {
	// One port for the product, and three for Azurite.
	port, err := freePorts(4)
	if err != nil {
		return nil, err
	}
	p := &product{b: b, data: data, server: fmt.Sprintf("http://localhost:%d", port)}
	p.client = api.NewClient(p.server, "", nil)
	p.cmd = exec.Command("build/tidemark", "start", "--app", b.app, "--tools", b.tools, "--data", data,
		"--port", fmt.Sprint(port), "--azurite-port-base", fmt.Sprint(port+1))
	p.cmd.Env = append(append(os.Environ(), "CRAWL_ALLOW_HOSTS=127.0.0.0/8", "API_KEYS_REQUIRED=false",
		"STORAGE="+storage), settings...)
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w (make build builds it)", err)
	}
	if err = b.answers(p.server+"/api/health", time.Minute); err == nil {
		values := map[string]string{
			"STORAGE": storage, "TIDEMARK_DATA": data,
			"AzureWebJobsStorage": "UseDevelopmentStorage=true", "AZURITE_PORT_BASE": fmt.Sprint(port + 1),
		}
		for _, s := range settings {
			name, value, _ := strings.Cut(s, "=")
			values[name] = value
		}
		p.store, err = app.OpenStore(settingsOf(values), slog.New(slog.DiscardHandler))
	}
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *product) stop() error {
	if p.store != nil {
		_ = p.store.Close() // the writes of makeDue were already acknowledged
	}
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	return p.cmd.Wait()
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

// answered waits until a counter of the site has reached a number. This costs the product nothing, while a request
// for its status would make it read the due rows.
func (p *product) answered(counter *atomic.Int64, want int64) error {
	return p.b.wait(p.b.patience, 5*time.Millisecond, fmt.Sprintf("%d answers of the site", want), func() (bool, error) {
		return counter.Load() >= want, nil
	})
}

// until(wanted) polls the status until wanted accepts it.
func (p *product) until(wanted func(api.SearchStatus) bool) error {
	return p.b.wait(p.b.patience, 50*time.Millisecond, "the status that is waited for", func() (bool, error) {
		st, err := api.GetStatus.Call(p.b.ctx, p.client, api.StatusQuery{})
		return err == nil && wanted(st), err
	})
}

// swept triggers sweeps, as the timer would, until the status is as wanted.
func (p *product) swept(wanted func(api.SearchStatus) bool) error {
	last := time.Time{}
	return p.b.wait(p.b.patience, time.Second, "all checks", func() (bool, error) {
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			if err := p.trigger("CrawlTimer"); err != nil {
				return false, err
			}
		}
		st, err := api.GetStatus.Call(p.b.ctx, p.client, api.StatusQuery{})
		return err == nil && wanted(st), err
	})
}

// idle reports whether no item waits or is being checked.
func idle(st api.SearchStatus) bool { return st.Backlog() == 0 }

// trigger runs a function through the host's admin interface, as the portal does.
func (p *product) trigger(function string) error {
	resp, err := http.Post(p.server+"/admin/functions/"+function, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("%s could not be triggered: %s", function, resp.Status)
	}
	return nil
}
