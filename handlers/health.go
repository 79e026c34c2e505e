package handlers

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/search"
)

const (
	// healthTime limits the time that the health check waits for the services that the app depends on.
	healthTime = 5 * time.Second
	// slowAfter is the time after which a service is asked once more, because one slow answer does not
	// mean that the service is down.
	slowAfter = 2 * time.Second
)

// health checks whether the services that the app depends on answer and accept writes. Anyone may
// read the answer, so it does not contain errors, but only what an operator should do about them.
func (h *appState) health(r *http.Request) (int, any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	out := api.Health{Status: api.HealthOK, Storage: "ok", Index: "ok", Version: h.Version, AsOf: time.Now().UTC()}
	others, filling := "", ""
	checks := []*check{
		{name: "storage", needed: true, into: &out.Storage, ask: pinged(h.Storage)},
		{name: "index", needed: true, into: &out.Index, ask: pinged(h.Index)},
		{name: "rebuild", into: &out.Rebuild, ask: h.rebuilding},
		{name: "filling", into: &filling, ask: h.filling},
		{name: "migration", into: &out.Migration, ask: h.migrating},
		{name: "instances", into: &others, ask: h.Indexes.Check},
	}
	var all sync.WaitGroup
	for _, c := range checks {
		all.Go(func() { c.run(ctx) })
	}
	all.Wait()
	for _, c := range checks {
		h.report(ctx, c, &out)
	}
	if others != "" {
		out.Warn("index: %s", others)
	}
	if out.Migration == api.MigrationNeeded {
		out.Warn("migration: the store was made with another TRACKING_PARAM_PREFIXES, so one source may have two " +
			"identities: run `tidemark migrate`, or set it back")
	}
	if filling != "" {
		out.Warn("index: %s", filling)
	}
	h.addGenerations(ctx, &out)
	if said := h.Worker.Outage(); said != "" {
		out.Warn("sites: %s", said)
	}
	if said := h.Browser.Trouble(); said != "" {
		out.Warn("browser: %s", said)
	}
	if _, none := h.Index.(search.None); none {
		out.Index = "none is configured: set SEARCH_ENDPOINT"
	}
	if out.Status == api.HealthUnavailable {
		return http.StatusServiceUnavailable, out, nil
	}
	return http.StatusOK, out, nil
}

// report adds the result of a check to the answer.
func (h *appState) report(ctx context.Context, c *check, to *api.Health) {
	if c.err != nil {
		h.Log.ErrorContext(ctx, "unhealthy", "check", c.name, "dur", c.took, "err", c.err)
	}
	switch {
	case c.err != nil && c.needed:
		*c.into, to.Status = health.Message(c.err, c.failure()), api.HealthUnavailable
	case c.err != nil:
		to.Warn("%s: not known, %s", c.name, c.failure())
	case c.took >= slowAfter:
		h.Log.WarnContext(ctx, "slow answer to the health check", "check", c.name, "dur", c.took)
		to.Warn("%s: slow, it answered after %s", c.name, words.Span(c.took))
	}
}

// addGenerations adds the generations of the index to the answer. Strangers may read it, so it does not say why one of
// them is not being built.
func (h *appState) addGenerations(ctx context.Context, to *api.Health) {
	now, stuck, err := generationsNow(ctx, h.Generations)
	if to.Generations = now; err != nil {
		h.Log.ErrorContext(ctx, "unhealthy", "check", "generations", "err", err)
		to.Warn("generations: not known")
	}
	if stuck != "" {
		to.Warn("index: the building of the generation %s does not go on; `tidemark generations list` says why", stuck)
	}
}

func pinged(service pinger) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return "ok", service.Ping(ctx) }
}

// rebuilding returns the id of a running rebuild.
func (h *appState) rebuilding(ctx context.Context) (id string, err error) {
	active, err := h.Rebuilds.Active(ctx)
	if len(active) > 0 {
		id = active[0].ID
	}
	return id, err
}

// filling says that the index is being filled, if it is.
func (h *appState) filling(ctx context.Context) (string, error) { return h.Filling.note(ctx, ""), nil }

// migrating returns the state of a migration that is running or needed.
func (h *appState) migrating(ctx context.Context) (string, error) {
	st, err := h.Migrate.Get(ctx)
	if err != nil || migrationState(st) == api.MigrationCurrent {
		return "", err
	}
	return migrationState(st), nil
}

// A check is a question to a service that the app depends on.
type check struct {
	name   string
	ask    func(context.Context) (string, error)
	needed bool    // whether the app cannot work without this service
	into   *string // the field for the answer
	took   time.Duration
	err    error
}

// run asks the service, and keeps the result.
func (c *check) run(ctx context.Context) {
	began := time.Now()
	*c.into, c.err = patiently(ctx, c.ask)
	c.took = time.Since(began)
}

// patiently calls ask, and calls it once more if there is no answer after slowAfter. The first good answer counts.
func patiently(ctx context.Context, ask func(context.Context) (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	results, tries := make(chan result, 2), 1
	try := func() {
		text, err := ask(ctx)
		results <- result{text, err}
	}
	go try()
	again := time.NewTimer(slowAfter)
	defer again.Stop()
	for {
		select {
		case r := <-results:
			if tries--; r.err == nil || tries == 0 {
				return r.text, r.err
			}
		case <-again.C:
			tries++
			go try()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// failure describes the error of a check without details, which strangers must not see.
func (c *check) failure() string {
	if errors.Is(c.err, context.DeadlineExceeded) {
		return "no answer within " + words.Span(healthTime)
	}
	return "cannot be reached"
}
