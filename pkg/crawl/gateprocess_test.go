package crawl

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// gateEnv makes this test's executable run as a process that works and fetches resources; its value is an [errand].
const gateEnv = "CRAWL_TEST_ERRAND"

// errand is the task of one of several processes over one store.
type errand struct {
	Dir       string   // directory of the store
	Resources []string // URLs, each fetched once
	Polite    policy.Politeness
}

// runErrand does the errand in the environment variable. It returns once its resources are fetched and the queue is
// empty, or once the test has ended.
func runErrand() {
	text := os.Getenv(gateEnv)
	if text == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	var e errand
	err := json.Unmarshal([]byte(text), &e)
	if err == nil {
		err = e.run(ctx)
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

func (e errand) run(ctx context.Context) error {
	s, err := sqlitestore.Open(e.Dir, sqlitestore.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	web, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1", AllowHosts: []string{"127.0.0.1", "localhost"}})
	if err != nil {
		return err
	}
	reg := registry.New(s, registry.Options{Politeness: func(string) policy.Politeness { return e.Polite }})
	hosts := politeness.New(reg.Hosts, web, politeness.Options{Agent: "Tidemark", Strategy: source.ByHost})
	snaps := snapshot.New(s)
	w := New(storesOf(reg, snaps), hosts, NewPlacement(PlacementStores{
		Fields: reg.Fields(), Items: reg.Items,
		Aliases: reg.Aliases, Moves: reg.Moves, Snapshots: snaps, Manifests: index.NewManifests(s),
		Index: search.None{},
	}, PlacementOptions{}), Options{
		Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(), RunID: "run",
	})
	var visiting sync.WaitGroup
	failed := make(chan error, len(e.Resources))
	for _, url := range e.Resources {
		visiting.Go(func() { failed <- visitUntil(ctx, w, url) })
	}
	jobs := s.Queue(registry.JobQueue)
	for ctx.Err() == nil {
		got, err := jobs.Receive(ctx, 1, time.Minute)
		if err != nil || len(got) == 0 {
			_ = defaults.Pause(ctx, 20*time.Millisecond)
			continue
		}
		job, err := registry.ParseJob(got[0].Body)
		if err == nil {
			err = w.Process(ctx, job)
		}
		if err != nil {
			return err
		}
		_ = jobs.Delete(ctx, got[0])
	}
	visiting.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// visitUntil retries as often as the gate asks for.
func visitUntil(ctx context.Context, w *Worker, url string) error {
	for {
		_, err := w.hosts.FetchResource(ctx, politeness.ResourceRequest{URL: url})
		if !fault.Is(err, fault.Throttled) {
			return err
		}
		if err := defaults.Pause(ctx, fault.RetryAfter(err)); err != nil {
			return err
		}
	}
}
