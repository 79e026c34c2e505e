package frame

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// Visitor is the person or program that requests a page.
type Visitor struct {
	Name  string    // the name of the visitor's key; empty where no key is needed
	Token string    // the token that forms must carry; empty without a session
	Scope api.Scope // what the visitor may do; empty where no key is needed, and everybody may do everything
	// ByProxy is true if a proxy has signed the visitor in. Then only the proxy can sign the visitor out.
	ByProxy bool
}

// MayWrite reports whether the visitor may add, change and remove things.
func (v Visitor) MayWrite() bool { return v.Scope == "" || v.Scope.Covers(api.ScopeWrite) }

// Limits names what the visitor cannot do, as the style sheet knows it: it hides the controls for that.
func (v Visitor) Limits() string {
	switch {
	case v.Scope == "" || v.Scope.Covers(api.ScopeAdmin):
		return ""
	case v.MayWrite():
		return "no-admin"
	default:
		return "no-write no-admin"
	}
}

type visitorKey struct{}

// WithVisitor adds the visitor to a request for a page.
func WithVisitor(r *http.Request, v Visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

func visitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(visitorKey{}).(Visitor)
	return v
}
