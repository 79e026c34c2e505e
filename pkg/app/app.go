// Package app assembles Tidemark: it reads the settings, chooses the adapters and passes the services to the
// handlers. It is the only package that knows all the others. docs/architecture.md gives an overview.
package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/semaphore"
)

// App opens the services once, when they are first needed. So the process can run before its dependencies do.
type App struct {
	cfg Config
	get func(string) string
	src *Sources // where the settings come from
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
	cfg.showMachine()
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
	src := &Sources{Path: filepath.Join(cfg.Data, ConfigFile), getenv: get, environ: set}
	return &App{cfg: cfg, get: get, src: src, log: log, building: semaphore.NewWeighted(1)}, nil
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
	if err := CheckForm(ctx, a.cfg, store); err != nil {
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
	s.Settings = cmp.Or(a.cfg.live, Follow(a.src, a.cfg, a.log, func(Config) {}))
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

// ring returns the keys in a store and in the settings.
func (c *Config) ring(store storage.Store, log *slog.Logger) *keys.Ring {
	return keys.New(store, keys.Options{Given: c.Keys, File: c.KeysFile, Log: log})
}

// OpenKeys opens the keys of a store directly, for commands that run without a server. It creates the table if that
// is missing.
func OpenKeys(ctx context.Context, cfg Config, store storage.Store, log *slog.Logger) (*keys.Ring, error) {
	r := cfg.ring(store, log)
	return r, r.Create(ctx)
}

// access returns who checks keys: Tidemark if the settings require it, otherwise the Functions host. A host that
// serves only this machine checks no keys. Such a host reports that it is for development, and has the name
// localhost. Any other host is treated as Azure, so that an unknown host shows the dashboard to no one.
func (a *App) access() handlers.Access {
	switch {
	case a.cfg.KeysNeeded:
		return handlers.OwnKeys
	case a.get("AZURE_FUNCTIONS_ENVIRONMENT") == "Development" && isLocal(a.get("WEBSITE_HOSTNAME")):
		return handlers.Open
	default:
		return handlers.HostKeys
	}
}

// userScope returns what users may do whom a proxy has signed in.
func (a *App) userScope() api.Scope { return a.cfg.UserScope }

// basePath returns the path below which callers reach the app.
func (a *App) basePath() string { return a.cfg.BasePath }

// Hosts returns the names by which callers reach the Functions host: those of the setting, and the one that the host
// reports.
func (a *App) Hosts() []string {
	hosts := a.cfg.AllowedHosts
	if own := a.get("WEBSITE_HOSTNAME"); own != "" {
		hosts = append(hosts[:len(hosts):len(hosts)], own)
	}
	return hosts
}

// isLocal reports whether a host name, with or without a port, is empty or is a name of this machine itself.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	return name == "" || name == "localhost" || net.ParseIP(name).IsLoopback()
}
