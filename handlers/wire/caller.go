package wire

import (
	"cmp"
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// Caller is the sender of a request.
type Caller struct {
	Name  string // of the key; empty where no key is needed
	Scope api.Scope
}

// Reader is the name of the reader of changes that the caller is. Where no key is needed, all callers are one reader,
// with a name that no key can have.
func (c Caller) Reader() string { return cmp.Or(c.Name, "-") }

type callerKey struct{}

// WithCaller names the caller of a request, also for the log.
func WithCaller(r *http.Request, c Caller) *http.Request {
	scope := telemetry.From(r.Context())
	scope.Actor = c.Name
	ctx := telemetry.With(r.Context(), scope)
	return r.WithContext(context.WithValue(ctx, callerKey{}, c))
}

// CallerOf is the caller of a request; the zero Caller if none is known.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// MayCall refuses a route to a caller whose key lacks its scope.
func MayCall(ctx context.Context, e *api.Endpoint) error {
	c := CallerOf(ctx)
	if e.Scope == "" || c.Scope.Covers(e.Scope) {
		return nil
	}
	return fault.New(fault.Blocked, "the key %q is for %s, and this takes one for %s; `tidemark keys add NAME --scope "+
		"%[3]s` makes one", c.Name, c.Scope, e.Scope)
}
