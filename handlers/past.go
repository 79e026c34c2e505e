package handlers

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// The past of an item is its own and that of the items that have moved there, whose captures and edges stay
// where they were made.

// past are the ids under which an item's past is kept: its own first.
func past(ctx context.Context, v *call, it *registry.Item) ([]source.ID, error) {
	formers, err := v.Registry.Moves.Formers(ctx, it)
	slices.Sort(formers)
	return append([]source.ID{it.ID}, formers...), err
}

// pagePast gives a page of up to top of what is kept under some ids, one id after the other. A place in the
// listing under another id than the first is written behind that id and a dot. One more says that there are more.
func pagePast[T any](ids []source.ID, after string, top int, list func(id source.ID, after string, top int) (page []T,
	next string, err error)) (out []T, next string, err error) {
	at := 0
	if id, rest, elsewhere := strings.Cut(after, "."); elsewhere {
		if at = slices.Index(ids, source.ID(id)); at < 0 {
			return nil, "", fault.Field("continuation", "continuation does not belong to this listing")
		}
		after = rest
	}
	for ; at < len(ids); at++ {
		if len(out) == top {
			return out, string(ids[at]) + ".", nil
		}
		page, next, err := list(ids[at], after, top-len(out))
		if out = append(out, page...); err != nil || next != "" {
			if next != "" && at > 0 {
				next = string(ids[at]) + "." + next
			}
			return out, next, err
		}
		after = ""
	}
	return out, "", nil
}

// movedTo answers a request for an item under an id that it had once.
type movedTo struct{ location string }

func (m movedTo) WriteAnswer(w http.ResponseWriter, status int) {
	w.Header().Set("Location", m.location)
	w.WriteHeader(status)
}

// itemMoved is the answer to a request for an item by the id of one that has moved there.
func itemMoved(r *http.Request, it *registry.Item) (int, any, error) {
	to := url.URL{Path: "/api/items/" + string(it.ID), RawQuery: r.URL.RawQuery}
	return http.StatusMovedPermanently, movedTo{to.String()}, nil
}
