package wire

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// Route answers the requests of one route of the API, either with a status and a body or with an error.
type Route struct {
	*api.Endpoint
	Answer func(r *http.Request) (status int, body any, err error)
}

// On returns a Route that answers with a function of the route's types.
func On[Q, A any](route api.Route[Q, A], fn func(context.Context, Q) (A, error)) Route {
	return OnAny(route, func(ctx context.Context, q Q) (any, error) { return fn(ctx, q) })
}

// Named returns a Route that answers with a function of the name in the route's path.
func Named[Q, A any](route api.Route[Q, A], fn func(ctx context.Context, name string) (A, error)) Route {
	return On(route, func(ctx context.Context, q Q) (A, error) { return fn(ctx, route.Name(q)) })
}

// Shown returns a function that answers with what another finds by name, in the form of the API.
func Shown[T, A any](find func(ctx context.Context, name string) (T, error), show func(T) A,
) func(context.Context, string) (A, error) {
	return func(ctx context.Context, name string) (answer A, err error) {
		found, err := find(ctx, name)
		if err == nil {
			answer = show(found)
		}
		return answer, err
	}
}

// OnAny returns a Route that answers with a function whose results may be of several kinds: a [Reply], a [Writer], or
// one of the route's types.
func OnAny[Q, A any](route api.Route[Q, A], fn func(context.Context, Q) (any, error)) Route {
	return Route{route.Endpoint, func(r *http.Request) (int, any, error) {
		q, err := Decode[Q](r, route.Endpoint)
		if err != nil {
			return 0, nil, err
		}
		body, err := fn(r.Context(), q)
		if other, ok := body.(Reply); ok {
			return other.Status, other.Body, err
		}
		return route.Status, body, err
	}}
}
