package frame

import (
	"context"
	"net/http"
)

// Visitor is who asks for a page.
type Visitor struct {
	Name  string // of the key; empty where no key is needed
	Token string // that forms have to carry; empty without a session
}

type visitorKey struct{}

// WithVisitor tells the pages who asks for them.
func WithVisitor(r *http.Request, v Visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

func visitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(visitorKey{}).(Visitor)
	return v
}
