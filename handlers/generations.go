package handlers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
)

// A generationSet is the generations of an index. See [generations.Set] for what the functions promise.
type generationSet interface {
	Current() string
	List(ctx context.Context) ([]generations.Generation, error)
	Begin(ctx context.Context, model, by, why string) (generations.Generation, error)
	Compare(ctx context.Context, id string, queries []string, top int) ([]generations.Compared, error)
	Switch(ctx context.Context, id string) (generations.Generation, error)
	Rollback(ctx context.Context, id string) (generations.Generation, error)
	Drop(id string) error
}

var _ generationSet = (*generations.Set)(nil)

// generationHandlers answer requests about the generations of the index.
type generationHandlers struct {
	Set   generationSet // nil where the index has none
	Model string        // the model whose vectors the settings ask for; "" for none
}

// Routes returns the routes of the area.
func (h *generationHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListGenerations, h.list),
		wire.On(api.BeginGeneration, h.begin),
		wire.Named(api.GetGeneration, h.get),
		wire.Named(api.RemoveGeneration, h.remove),
		wire.On(api.CompareGeneration, h.compare),
		wire.Named(api.SwitchGeneration, h.change(generationSet.Switch)),
		wire.Named(api.RollbackGeneration, h.change(generationSet.Rollback)),
	}
}

// errNoGenerations is the answer where the index has no generations.
var errNoGenerations = fault.New(fault.Conflict, "this server has no generations of its index, which is filled in "+
	"place: after a change of the model, a rebuild gives the pages their new vectors one by one")

// set returns the generations of the index, or why there are none.
func (h *generationHandlers) set() (generationSet, error) {
	if h.Set == nil {
		return nil, errNoGenerations
	}
	return h.Set, nil
}

// list lists the generations, the current one first.
func (h *generationHandlers) list(ctx context.Context, _ api.None) (api.Generations, error) {
	all, err := h.all(ctx)
	return api.Generations{Generations: wire.Each(all, generationJSON)}, err
}

func (h *generationHandlers) all(ctx context.Context) ([]generations.Generation, error) {
	set, err := h.set()
	if err != nil {
		return nil, err
	}
	return set.List(ctx)
}

// get finds a generation.
func (h *generationHandlers) get(ctx context.Context, id string) (api.Generation, error) {
	all, err := h.all(ctx)
	if err != nil {
		return api.Generation{}, err
	}
	at := slices.IndexFunc(all, func(g generations.Generation) bool { return g.ID == id })
	if at < 0 {
		return api.Generation{}, fault.New(fault.NotFound, "there is no generation %.64q of the index", id)
	}
	return generationJSON(all[at]), nil
}

// begin begins a generation for a person, who also says when it takes over.
func (h *generationHandlers) begin(ctx context.Context, req api.GenerationRequest) (out api.Generation, err error) {
	set, err := h.set()
	if err != nil {
		return out, err
	}
	model := h.Model
	if req.Model != nil {
		model = *req.Model
	}
	if strings.TrimSpace(model) != model {
		return out, fault.Field("model", "model must not begin or end with a space")
	}
	made, err := set.Begin(ctx, model, generations.ByPerson, "asked for")
	if err != nil {
		return out, wire.Field("model", err)
	}
	return generationJSON(made), nil
}

// remove removes a generation, and answers with what it was.
func (h *generationHandlers) remove(ctx context.Context, id string) (api.Generation, error) {
	was, err := h.get(ctx, id)
	if err == nil {
		err = h.Set.Drop(id)
	}
	return was, err
}

// compare asks a generation and the current one the same questions.
func (h *generationHandlers) compare(ctx context.Context, req api.CompareRequest) (out api.Comparison, err error) {
	set, err := h.set()
	if err != nil {
		return out, err
	}
	if n := len(req.Queries); n == 0 || n > api.MaxCompared {
		return out, fault.Field("queries", "there are %d questions: give 1 to %d", n, api.MaxCompared)
	}
	for _, q := range req.Queries {
		if strings.TrimSpace(q) == "" {
			return out, fault.Field("queries", "a question is empty")
		}
	}
	found, err := set.Compare(ctx, req.ID, req.Queries, req.Top)
	out.Queries = wire.Each(found, func(c generations.Compared) api.ComparedQuery {
		return api.ComparedQuery{Q: c.Query, Current: append([]string{}, c.Current...), This: append([]string{}, c.This...)}
	})
	return out, err
}

// change returns a function that changes what a generation is for.
func (h *generationHandlers) change(how func(generationSet, context.Context, string) (generations.Generation, error),
) func(context.Context, string) (api.Generation, error) {
	return func(ctx context.Context, id string) (out api.Generation, err error) {
		if _, err := h.get(ctx, id); err != nil {
			return out, err
		}
		changed, err := how(h.Set, ctx, id)
		if err != nil {
			return out, err
		}
		return generationJSON(changed), nil
	}
}

func generationJSON(g generations.Generation) api.Generation {
	out := api.Generation{ID: g.ID, State: api.GenerationState(g.State), Why: g.Why, Model: g.Model, Begun: g.Begun,
		By: g.By, Switched: g.Switched, Done: int(g.Done), Of: int(g.Of), Trouble: g.Trouble}
	switch g.State {
	case generations.Building:
		out.Forecast = &api.GenerationForecast{Until: g.Until, Tokens: g.Tokens, Bytes: g.Bytes}
	case generations.Previous:
		out.KeptUntil = g.Switched.Add(generations.Kept)
	}
	return out
}

// generationsNow returns which generation answers and how far the next one is, or nil if the index has none. The id is
// that of a generation whose building does not go on, or "".
func generationsNow(ctx context.Context, set generationSet) (now *api.IndexGenerations, stuck string, err error) {
	if set == nil {
		return nil, "", nil
	}
	all, err := set.List(ctx)
	if err != nil {
		return nil, "", err
	}
	now = &api.IndexGenerations{}
	for _, g := range all {
		switch g.State {
		case generations.Current:
			now.Current = g.ID
		case generations.Building:
			now.Building = &api.GenerationProgress{ID: g.ID, Done: int(g.Done), Of: int(g.Of),
				Until: g.Until.Round(time.Second)}
			if g.Trouble != "" {
				stuck = g.ID
			}
		}
	}
	return now, stuck, nil
}
