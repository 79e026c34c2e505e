package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// App opens the services once, when they are first needed, so that the process is up before its
// dependencies are.
type App struct {
	cfg Config
	get func(string) string
	log *slog.Logger

	building *semaphore.Weighted // for what follows; waiting for it ends with the caller's context
	services *handlers.Services
}

// New reads the settings as [Load] does. Nothing is opened yet.
func New(get func(string) string, log *slog.Logger, set ...string) (*App, error) {
	cfg, err := Load(get, set...)
	if err != nil {
		return nil, err
	}
	cfg.Metrics = telemetry.New()
	level := slog.LevelWarn
	if !cfg.Cloud {
		level = slog.LevelInfo // tidemark start has said so, where people look
	}
	for _, said := range Misspelt(set) {
		log.Log(context.Background(), level, said)
	}
	return &App{cfg: cfg, get: get, log: log, building: semaphore.NewWeighted(1)}, nil
}

// Metrics are those of what the app does.
func (a *App) Metrics() *telemetry.Metrics { return a.cfg.Metrics }

// Memory is what the process may use, by its settings.
func (a *App) Memory() memory.Share { return a.cfg.Memory }

// Services opens what the handlers need, or returns what is open. After a failure the next call
// tries again. Calls take turns, each for as long as its ctx.
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
	engine, err := openIndex(a.cfg, a.log)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s, err := Assemble(ctx, a.cfg, a.get, store, engine, a.log)
	if err != nil {
		return nil, errors.Join(err, engine.Close(), store.Close())
	}
	a.services = s
	return s, nil
}

// Close closes what was opened.
func (a *App) Close() error {
	_ = a.building.Acquire(context.Background(), 1) // Unreachable: this context never ends
	defer a.building.Release(1)
	if a.services == nil {
		return nil
	}
	a.saveActivity()
	return errors.Join(a.services.Index.Close(), a.services.Store.Close())
}

// saveTime is how long the last write may take, of the grace that a stop has.
const saveTime = 5 * time.Second

// saveActivity writes what was done since the last write. Nothing is redone for it, so an error only is told.
func (a *App) saveActivity() {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	if err := a.services.Activity.Save(ctx); err != nil {
		a.log.Warn("the last activity was not written", "err", err)
	}
}
