package api

import (
	"net/http"
	"slices"
	"time"
)

// Scope is what a key allows. Each scope includes the scopes listed before it.
type Scope string

// The scopes.
const (
	ScopeFeed  Scope = "feed"  // read feeds
	ScopeRead  Scope = "read"  // read everything except settings and keys
	ScopeWrite Scope = "write" // add, check and remove sources and entries, and start runs
	ScopeAdmin Scope = "admin" // settings, keys, policies, the test mode, migrations
)

// Scopes lists all scopes, in order.
var Scopes = []Scope{ScopeFeed, ScopeRead, ScopeWrite, ScopeAdmin}

// Covers reports whether a key of this scope may be used for a request that needs the given scope.
func (s Scope) Covers(needed Scope) bool {
	return slices.Contains(Scopes, needed) && slices.Index(Scopes, s) >= slices.Index(Scopes, needed)
}

// usualScope returns the scope that routes with the given method need by default.
func usualScope(method string) Scope {
	if method == http.MethodGet {
		return ScopeRead
	}
	return ScopeWrite
}

// KeyRequest creates a key.
type KeyRequest struct {
	Name  string `json:"name"` // 1 to 64 of a-z, 0-9, dot, hyphen, underscore and @; actions are recorded under this name
	Scope Scope  `json:"scope"`
}

// KeyName identifies a key by its name.
type KeyName struct {
	Name string `json:"name" path:"name"` // The key.
}

// Key describes a key. It does not include the key itself.
type Key struct {
	Name  string `json:"name"`
	Scope Scope  `json:"scope"`
	// where the key is from: added (through the API or by a command), file or environment; only added keys can be removed
	Origin   string    `json:"origin"`
	Created  time.Time `json:"created,omitzero"`
	LastUsed time.Time `json:"lastUsed,omitzero"` // when the key was last used, accurate to an hour
}

// NewKey is a key that was just created.
type NewKey struct {
	Key

	Secret string `json:"key"` // shown only once
}

// Keys lists all keys, by name.
type Keys struct {
	Keys []Key `json:"keys"`
}

// SchemaName identifies a schema of a file that people write.
type SchemaName struct {
	Name string `json:"name" path:"name"` // rules, for the file of rules and channels, or sites, for the site file.
}
