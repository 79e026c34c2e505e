package app

import (
	"context"
	"log/slog"
	"net"
	"net/url"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/storage"
)

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
