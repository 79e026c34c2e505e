package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"golang.org/x/sync/semaphore"
)

// App opens the services once, when they are first needed. So the process can run before its dependencies do.
type App struct {
	cfg Config
	get func(string) string
	log *slog.Logger

	building *semaphore.Weighted // guards the fields below; a wait for it ends when the caller's context ends
	services *handlers.Services
}

// New reads the settings as [Load] does. It opens nothing yet.
func New(get func(string) string, log *slog.Logger, set ...string) (*App, error) {
	cfg, err := Load(get, set...)
	if err != nil {
		return nil, err
	}
	cfg.Metrics = telemetry.New()
	level := slog.LevelWarn
	if !cfg.Cloud {
		level = slog.LevelInfo // tidemark start has already printed these lines where people see them
	}
	for _, said := range Misspelt(set) {
		log.Log(context.Background(), level, said)
	}
	if said := cfg.Proxies(); said != "" {
		log.Info(said)
	}
	return &App{cfg: cfg, get: get, log: log, building: semaphore.NewWeighted(1)}, nil
}

// Metrics returns the metrics in which the app counts.
func (a *App) Metrics() *telemetry.Metrics { return a.cfg.Metrics }

// memory returns the memory that the settings allow the process to use.
func (a *App) memory() memory.Share { return a.cfg.Memory }

// Services opens the services of the handlers, or returns them if they are open already. After a failure the next
// call tries again. One call at a time opens services; the others wait as long as their ctx allows.
func (a *App) Services(ctx context.Context) (*handlers.Services, error) {
	if err := a.building.Acquire(ctx, 1); err != nil {
		return nil, fault.New(fault.Unavailable, "waiting for storage and index: %w", err)
	}
	defer a.building.Release(1)
	if a.services != nil {
		return a.services, nil
	}
	store, err := OpenStore(a.get, a.log)
	if err != nil {
		return nil, err
	}
	if err := CheckForm(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	engine, err := openIndex(a.cfg, a.log)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s, err := Assemble(ctx, a.cfg, a.get, store, engine, a.log)
	if err != nil {
		return nil, errors.Join(err, engine.Close(), store.Close())
	}
	if s.Indexes, err = ownIndex(a.cfg, a.get, s.Store, a.log); err != nil {
		return nil, errors.Join(err, engine.Close(), store.Close())
	}
	a.services = s
	return s, nil
}

// Close closes what [App.Services] opened.
func (a *App) Close() error {
	_ = a.building.Acquire(context.Background(), 1) // cannot fail: this context never ends
	defer a.building.Release(1)
	if a.services == nil {
		return nil
	}
	a.saveActivity()
	return errors.Join(a.services.Browser.Close(), a.services.Index.Close(), a.services.Store.Close())
}

// saveTime limits the time for the last write of the activity when the process stops. It is part of the grace period
// of the stop.
const saveTime = 5 * time.Second

// saveActivity writes the activity since the last write. An error is only logged, because a loss of activity needs no
// repair.
func (a *App) saveActivity() {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	if err := a.services.Activity.Save(ctx); err != nil {
		a.log.Warn("the last activity was not written", "err", err)
	}
}
