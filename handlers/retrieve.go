package handlers

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/search"
)

// Each search contributes passages from at most retrievedPages pages.
const retrievedPages = 20

// retrieve answers questions with whole passages, which together have at most a given number of tokens.
func (h *searchHandlers) retrieve(ctx context.Context, req api.RetrieveRequest) (out api.RetrieveResponse, err error) {
	fresh, err := freshnessOf(ctx, req.MaxAge, req.Stale)
	if err != nil {
		return out, err
	}
	queries, err := retrieveQueries(req)
	if err != nil {
		return out, err
	}
	found, err := h.Answers.Passages(ctx, fresh, queries, req.Tokens)
	if err != nil {
		return out, err
	}
	var notes []string
	for i, r := range found.Results {
		out.Generation = r.Index // all questions are put to one index
		if note := noteOf(queries[i].Text, r); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	out.Note = h.Filling.note(ctx, strings.Join(notes, "; "))
	out.Tokens, out.Stale = found.Tokens, found.Stale
	out.Passages = wire.Each(found.Passages, retrievedJSON)
	return out, nil
}

// retrieveQueries returns the searches for the questions of a request.
func retrieveQueries(req api.RetrieveRequest) (queries []search.Query, err error) {
	field, questions := "queries", req.Queries
	if req.Q != "" {
		field, questions = "q", append(questions, req.Q)
	}
	switch {
	case req.AsOf != "":
		return nil, fault.Field("asOf", "asOf cannot be asked for here: the index knows pages as they are now; "+
			"GET items/{id}/text?asOf= has each of them as it was")
	case len(questions) == 0:
		return nil, fault.Field("q", "q is missing: what is the question?")
	case req.Q != "" && len(questions) > 1:
		return nil, fault.Field("queries", "give q or queries, not both")
	case len(questions) > api.MaxQueries:
		return nil, fault.Field("queries", "%d questions are too many: at most %d at once", len(questions), api.MaxQueries)
	}
	for _, text := range questions {
		asked := req.Filter.Search(text)
		asked.Top = retrievedPages
		q, err := queryFor(asked, time.Now())
		if f := fault.FieldOf(err); f == "q" {
			return nil, fault.Field(field, "%w", err)
		}
		if err != nil {
			return nil, err
		}
		q.Whole = true
		queries = append(queries, q)
	}
	return queries, nil
}

func retrievedJSON(p answer.Cited) api.RetrievedPassage {
	out := api.RetrievedPassage{
		Text: p.Text, URL: p.Page.URL, Title: p.Page.Title, HeadingPath: p.Heading, ItemID: p.Page.ID, Zone: p.Zone,
		ChunkUIDs: p.UIDs,
		Score:     p.Score,
		Capture:   history.Digest(p.Capture.RawHash), At: p.Capture.CapturedAt, CheckedAt: p.CheckedAt(),
	}
	if !p.Written.IsZero() {
		out.At = p.Written
	}
	if p.Page.Type == index.TypePage && p.Item.Type == "url" && len(p.Heading) > 0 {
		// The anchor is either the id or the text fragment. If it had both, browsers would prefer the
		// text fragment, but the id is more exact, for example for a term below the heading.
		out.Anchor = cmp.Or(wire.Anchor(p.Anchor), fragmentOf(p.Heading[len(p.Heading)-1]))
	}
	return out
}

// fragmentOf returns a URL fragment that makes browsers scroll to the given text
// (https://wicg.github.io/scroll-to-text-fragment/#syntax).
func fragmentOf(text string) string {
	return ":~:text=" + strings.NewReplacer("+", "%20", "-", "%2D").Replace(url.QueryEscape(text))
}

// freshnessOf reads from a request how recently results must have been checked. If the request
// allows pages to be checked again, the caller's key must allow it, too, because a check sends
// requests to a site.
func freshnessOf(ctx context.Context, maxAge, stale string) (f answer.Freshness, err error) {
	f.Recheck = stale == api.StaleRecheck
	if maxAge == "" {
		if f.Recheck {
			return f, fault.Field("maxAge", "maxAge is missing: stale says what becomes of pages that are older")
		}
		return f, nil
	}
	age, err := wire.Age("maxAge", maxAge)
	if err == nil && f.Recheck {
		err = wire.MayCall(ctx, api.ReindexItem.Endpoint)
	}
	f.Since = time.Now().Add(-age)
	return f, err
}
