package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

func (v *Services) history() *history.History {
	return history.New(v.Registry.Items, v.Registry.Moves, v.Snapshots, v.Documents)
}

func (v *Services) compare() *compare.Comparer {
	return compare.New(v.Registry.Items, v.Registry.Tags, v.history())
}

func (v *Services) answers(log *slog.Logger) *answer.Answers {
	return answer.New(answer.Options{Index: v.Index, Items: v.Registry.Items, Entries: v.Entries, Chunks: v.Manifests,
		History: v.history(), Log: log})
}

// findPast finds an item with its past.
func findPast(ctx context.Context, v *call, id string) (history.Past, error) {
	p, err := v.history().Find(ctx, source.ID(id))
	return p, wire.Blame("id", err)
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
