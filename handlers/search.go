package handlers

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/search"
)

// searchFor answers a query.
func searchFor(ctx context.Context, v *call, req api.SearchRequest) (out api.SearchResponse, err error) {
	if req.Q == "" {
		return out, fault.Field("q", "q is missing: what should be searched for?")
	}
	if len(search.Terms(req.Q)) == 0 {
		return out, fault.Field("q", "there is nothing to search for in %.100q: give some words", req.Q)
	}
	now := time.Now()
	since, err := sinceOf("since", req.Since, now)
	if err != nil {
		return out, err
	}
	published, err := sinceOf("publishedAfter", req.PublishedAfter, now)
	if err != nil {
		return out, err
	}
	found, err := v.Index.Search(ctx, search.Query{
		Text: req.Q, Top: req.Top, Skip: req.Skip, Host: req.Host, Type: req.Type, Language: req.Language,
		NestImages: req.NestImages, Since: since, PublishedAfter: published, Facets: req.Facets,
		Now: now,
	})
	if err != nil {
		return out, err
	}
	out = resultsJSON(found)
	switch {
	case found.DidYouMean != "":
		out.Note = fmt.Sprintf("nothing has all of these words as they are written; these are the results for %s",
			found.DidYouMean)
	case search.Unclosed(req.Q):
		out.Note = unclosedNote
	}
	showLinked(ctx, v, out.Results)
	return out, nil
}

const unclosedNote = "a quotation mark is not closed, so no phrase begins there; put a second one behind the phrase"

// lookups is how many pages of links are looked up at once.
const lookups = 8

// showLinked shows with each link the page that it is about. One that cannot be looked up now is left out.
func showLinked(ctx context.Context, v *call, results []api.SearchResult) {
	var g errgroup.Group
	g.SetLimit(lookups)
	for i := range results {
		res := &results[i]
		if !entries.IsLink(res.ID) || res.URL == "" {
			continue
		}
		g.Go(func() (err error) {
			res.Page, err = linkedPage(ctx, v, res.URL)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		v.log.WarnContext(ctx, "pages of links not shown", "kind", fault.KindOf(err), "err", err)
	}
}

// sinceOf reads a time, a day, or how long ago; "" is the beginning.
func sinceOf(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, age := range search.Ages {
		if text == age.Name {
			return now.Add(-age.Max), nil
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fault.Field(field,
		"%s must be a time such as 2026-03-01T12:00:00Z, a day such as 2026-03-01, or day, week, month or year, not %.40q",
		field, text)
}

func resultsJSON(found search.Results) api.SearchResponse {
	out := api.SearchResponse{Count: found.Count, Estimated: found.Estimated, DidYouMean: found.DidYouMean,
		Results: make([]api.SearchResult, len(found.Results))}
	for i, r := range found.Results {
		res := api.SearchResult{ID: r.ID, Type: r.Type, URL: r.URL, Title: r.Title, Language: r.Language, Score: r.Score,
			PublishedAt: r.PublishedAt,
			Passages:    make([]api.Passage, len(r.Passages))}
		for j, p := range r.Passages {
			res.Passages[j] = passageJSON(p)
		}
		for _, img := range r.Images {
			res.Images = append(res.Images, imageJSON(img, r.ID, r.URL))
		}
		out.Results[i] = res
	}
	if f := found.Facets; f != nil {
		out.Facets = &api.Facets{Hosts: facetsJSON(f.Hosts), Types: facetsJSON(f.Types), Languages: facetsJSON(f.Languages),
			Ages: facetsJSON(f.Ages)}
	}
	return out
}

func facetsJSON(facets []search.Facet) []api.Facet {
	out := make([]api.Facet, len(facets))
	for i, f := range facets {
		out[i] = api.Facet(f)
	}
	return out
}

func passageJSON(p search.Passage) api.Passage {
	out := api.Passage{ChunkUID: p.ChunkUID, Heading: p.Heading, Text: p.Text,
		Highlights: make([]api.Range, len(p.Highlights))}
	for i, h := range p.Highlights {
		out.Highlights[i] = api.Range{From: h.From, To: h.To}
	}
	return out
}
