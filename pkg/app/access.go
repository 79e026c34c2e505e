package app

import (
	"context"
	"log/slog"
	"net"
	"net/url"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
)

// ring are the keys of a store and of the settings.
func (c *Config) ring(store storage.Store, log *slog.Logger) *keys.Ring {
	return keys.New(store, keys.Options{Given: c.Keys, File: c.KeysFile, Log: log})
}

// OpenKeys opens the keys of a store directly, for commands that run without a server. The table is made if it is
// missing.
func OpenKeys(ctx context.Context, cfg Config, store storage.Store, log *slog.Logger) (*keys.Ring, error) {
	r := cfg.ring(store, log)
	return r, r.Create(ctx)
}

// Access is who checks keys: Tidemark if the settings demand it, otherwise the host, unless it serves this machine
// alone. Such hosts say that they are for development and are called localhost. Any other host is treated as Azure,
// so that an unknown host shows the dashboard to no one.
func (a *App) Access() handlers.Access {
	switch {
	case a.cfg.KeysNeeded:
		return handlers.OwnKeys
	case a.get("AZURE_FUNCTIONS_ENVIRONMENT") == "Development" && isLocal(a.get("WEBSITE_HOSTNAME")):
		return handlers.Open
	default:
		return handlers.HostKeys
	}
}

// isLocal reports whether a host name with its port names this machine itself, or nothing.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	return name == "" || name == "localhost" || net.ParseIP(name).IsLoopback()
}
