package handlers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
)

// searchFor answers a query.
func (h *searchHandlers) searchFor(ctx context.Context, req api.SearchRequest) (out api.SearchResponse, err error) {
	shown, err := facetsOf(req.Facets)
	if err != nil {
		return out, err
	}
	q, err := queryFor(req, time.Now())
	if err != nil {
		return out, err
	}
	fresh, err := freshnessOf(ctx, req.MaxAge, req.Stale)
	if err != nil {
		return out, err
	}
	q.Facets = len(shown) > 0
	var found answer.Found
	if req.MaxAge == "" {
		found.Results, err = h.Answers.Search(ctx, []search.Query{q})
	} else {
		found, err = h.Answers.Fresh(ctx, fresh, []search.Query{q})
	}
	if err != nil {
		return out, err
	}
	out = resultsJSON(found.Results[0], shown)
	out.StaleResults = found.Stale
	for i := range out.Results {
		out.Results[i].CheckedAt = found.Seen[out.Results[i].ID].CheckedAt()
	}
	out.Note = h.Filling.note(ctx, noteOf(req.Q, found.Results[0]))
	h.showLinked(ctx, out.Results)
	return out, nil
}

// noteOf returns a note if a query was understood in another way than the caller may have meant.
func noteOf(asked string, found search.Results) string {
	var notes []string
	if found.Note != "" {
		notes = append(notes, found.Note)
	} else if found.DidYouMean != "" {
		notes = append(notes, fmt.Sprintf("nothing has all of these words as they are written; these are the results for %s",
			found.DidYouMean))
	}
	if search.IsSigns(asked) {
		notes = append(notes, signsNote)
	}
	if search.Unclosed(asked) {
		notes = append(notes, unclosedNote)
	}
	return strings.Join(notes, "; ")
}

// queryFor reads the words, the filters and the order of results from a request.
func queryFor(req api.SearchRequest, now time.Time) (q search.Query, err error) {
	if req.Q == "" {
		return q, fault.Field("q", "q is missing: what should be searched for?")
	}
	if len(search.Terms(req.Q)) == 0 && !search.IsSigns(req.Q) {
		return q, fault.Field("q", "there is nothing to search for in %.100q: give some words", req.Q)
	}
	q = search.Query{Text: req.Q, Top: req.Top, Skip: req.Skip, Host: req.Host, Type: req.Type, Language: req.Language,
		Path: req.Path, NestImages: req.NestImages, Now: now}
	if req.Path != "" && req.Path[0] != '/' {
		return q, fault.Field("path", "path must begin with a slash, such as /docs/, not %.80q", req.Path)
	}
	if req.Tag != "" {
		if q.Tag, err = options.TagName(req.Tag); err != nil {
			return q, wire.Field("tag", err)
		}
	}
	if req.Sort == api.SortChanged {
		q.Sort = search.ByChange
	}
	if req.Since != "" && req.ChangedAfter != "" && req.Since != req.ChangedAfter {
		return q, fault.Field("changedAfter", "changedAfter is another name of since: give one of the two")
	}
	if q.Since, err = wire.Since("since", req.Since, now); err != nil {
		return q, err
	}
	if req.ChangedAfter != "" {
		if q.Since, err = wire.Since("changedAfter", req.ChangedAfter, now); err != nil {
			return q, err
		}
	}
	q.PublishedAfter, err = wire.Since("publishedAfter", req.PublishedAfter, now)
	return q, err
}

// facetNames are the names of facets that a request may have.
var facetNames = []string{"host", "tag", "type", "language", "age"}

// facetsOf returns the facets that a request asks for.
func facetsOf(names api.FacetNames) ([]string, error) {
	if all, err := strconv.ParseBool(cmp.Or(string(names), "false")); err == nil {
		if !all {
			return nil, nil
		}
		return facetNames, nil
	}
	list := strings.Split(string(names), ",")
	for i, name := range list {
		if list[i] = strings.TrimSpace(name); !slices.Contains(facetNames, list[i]) {
			return nil, fault.Field("facets", "there is no facet %.40q; give true for all, or some of %s", list[i],
				strings.Join(facetNames, ","))
		}
	}
	return list, nil
}

// suggest returns completions of a user's input.
func (h *searchHandlers) suggest(ctx context.Context, req api.SuggestQuery) (out api.Suggestions, err error) {
	if h.Set != nil {
		out.Generation = h.Set.Current()
	}
	found, err := h.Index.Suggest(ctx, req.Q)
	out.Suggestions, out.Note = append([]string{}, found...), h.Filling.note(ctx, "")
	return out, err
}

// signsNote is the note for a query of signs, such as emoji, alone.
const signsNote = "signs and emoji are not searched, only letters and digits: give a word that is near the sign"

const unclosedNote = "a quotation mark is not closed, so no phrase begins there; put a second one behind the phrase"

// lookups is the number of linked pages that are looked up at the same time.
const lookups = 8

// showLinked completes the results that are links: it adds the page that the link leads to. A page
// that cannot be looked up now is left out.
func (h *searchHandlers) showLinked(ctx context.Context, results []api.SearchResult) {
	var g errgroup.Group
	g.SetLimit(lookups)
	for i := range results {
		res := &results[i]
		if !entries.IsLink(res.ID) || res.URL == "" {
			continue
		}
		g.Go(func() error {
			page, found, err := h.Lookup.Searched(ctx, res.URL)
			if found {
				res.Page = linkedPageJSON(page)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		h.Log.WarnContext(ctx, "pages of links not shown", "kind", fault.KindOf(err), "err", err)
	}
}

func resultsJSON(found search.Results, shown []string) api.SearchResponse {
	out := api.SearchResponse{Count: found.Count, Estimated: found.Estimated, DidYouMean: found.DidYouMean,
		Generation: found.Index, Results: make([]api.SearchResult, len(found.Results))}
	for i, r := range found.Results {
		out.Results[i] = api.SearchResult{ID: r.ID, Type: r.Type, URL: r.URL, Title: r.Title, Language: r.Language,
			Score: r.Score, ChangedAt: r.ChangedAt, PublishedAt: r.PublishedAt, Passages: wire.Each(r.Passages, passageJSON),
			Images: wire.Each(r.Images, func(img search.Image) api.Image { return imageJSON(img, r.ID, r.URL) })}
	}
	if f := found.Facets; f != nil {
		all := &api.Facets{}
		for i, to := range []struct {
			into *[]api.Facet
			from []search.Facet
		}{{&all.Hosts, f.Hosts}, {&all.Tags, f.Tags}, {&all.Types, f.Types}, {&all.Languages, f.Languages},
			{&all.Ages, f.Ages}} {
			if slices.Contains(shown, facetNames[i]) {
				*to.into = wire.Each(to.from, func(f search.Facet) api.Facet { return api.Facet(f) })
			}
		}
		out.Facets = all
	}
	return out
}

func passageJSON(p search.Passage) api.Passage {
	return api.Passage{ChunkUID: p.ChunkUID, Heading: p.Heading, Anchor: wire.Anchor(p.Anchor), Zone: p.Zone, Text: p.Text,
		Highlights: wire.Each(p.Highlights, func(h search.Range) api.Range { return api.Range{From: h.From, To: h.To} })}
}

// searchHandlers answer searches and questions from the index.
type searchHandlers struct {
	Answers *answer.Answers
	Index   search.Index     // suggests completions of the user's input
	Set     generationSet    // nil where the index has none
	Lookup  *registry.Lookup // finds the pages that links lead to
	Filling *filling
	Log     *slog.Logger
}

// filling knows whether the index lacks pages because it is being filled. It asks at most every few seconds. Meanwhile
// other searches have the last answer.
type filling struct {
	Rebuilds *rebuild.Service

	asking sync.Mutex
	asked  time.Time
	text   atomic.Pointer[string]
}

// askAgain is how long an answer about the filling of the index counts. Tests replace it.
var askAgain = 2 * time.Second

// note adds to the note of an answer that the index is being filled.
func (f *filling) note(ctx context.Context, note string) string {
	if f.asking.TryLock() {
		f.ask(ctx)
		f.asking.Unlock()
	}
	if text := f.text.Load(); text != nil && *text != "" {
		return *text + strings.TrimSuffix("; "+note, "; ")
	}
	return note
}

func (f *filling) ask(ctx context.Context) {
	now := time.Now()
	if now.Sub(f.asked) < askAgain {
		return
	}
	f.asked = now
	if active, err := f.Rebuilds.Active(ctx); err == nil {
		f.text.Store(new(fillingText(active)))
	}
}

// fillingText says that pages are missing in the index if one of the active runs fills it.
func fillingText(active []rebuild.Run) string {
	for _, run := range active {
		if run.Fills() {
			return "the index is being filled since " + run.StartedAt.UTC().Format(time.RFC3339) +
				", so pages may be missing in this answer"
		}
	}
	return ""
}

// Routes returns the routes of the area.
func (h *searchHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.SearchByGet, h.searchFor),
		wire.On(api.Search, h.searchFor),
		wire.On(api.Suggest, h.suggest),
		wire.On(api.Retrieve, h.retrieve),
	}
}
