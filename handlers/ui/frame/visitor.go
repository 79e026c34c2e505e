package frame

import (
	"context"
	"net/http"
)

// Visitor is the person or program that requests a page.
type Visitor struct {
	Name  string // the name of the visitor's key; empty where no key is needed
	Token string // the token that forms must carry; empty without a session
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
