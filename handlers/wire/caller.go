package wire

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// Caller is the sender of a request and what that sender may do.
type Caller struct {
	Name  string // the name of the caller's key, or a user's after UserPrefix; empty where no key is needed
	Scope api.Scope
}

// UserPrefix begins the names of users whom a proxy has signed in. No name of a key has a colon.
const UserPrefix = "user:"

// Reader returns the name under which the caller's reading position is kept. Where no key is
// needed, all callers share one name, which no key can have; it is also that of the machine's own
// key, so that nothing is unread again where a key is needed from now on. Users may have names that
// no key of a row can have, so theirs are hashed.
func (c Caller) Reader() string {
	if user, ok := strings.CutPrefix(c.Name, UserPrefix); ok {
		sum := sha256.Sum256([]byte(user))
		return UserPrefix + hex.EncodeToString(sum[:16])
	}
	if name, _, _ := strings.Cut(c.Name, "@"); name != keys.Machine {
		return cmp.Or(c.Name, "-")
	}
	return "-"
}

type callerKey struct{}

// WithCaller adds the caller to a request's context and to its log messages.
func WithCaller(r *http.Request, c Caller) *http.Request {
	scope := telemetry.From(r.Context())
	scope.Actor = c.Name
	ctx := telemetry.With(r.Context(), scope)
	return r.WithContext(context.WithValue(ctx, callerKey{}, c))
}

// CallerOf returns the caller of a request, or the zero Caller if the caller is not known.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// MayCall returns an error if the scope of the caller's key does not include the scope of a route.
func MayCall(ctx context.Context, e *api.Endpoint) error {
	c := CallerOf(ctx)
	if e.Scope == "" || c.Scope.Covers(e.Scope) {
		return nil
	}
	if user, ok := strings.CutPrefix(c.Name, UserPrefix); ok {
		return fault.New(fault.Blocked, "the user %q may %s, and this takes one who may %s; AUTH_HEADER_SCOPE says what the "+
			"users of the proxy may do", user, c.Scope, e.Scope)
	}
	return fault.New(fault.Blocked, "the key %q is for %s, and this takes one for %s; `tidemark keys add NAME --scope "+
		"%[3]s` makes one", c.Name, c.Scope, e.Scope)
}
