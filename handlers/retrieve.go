package handlers

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/passage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// retrievedPages is how many pages of each search passages are chosen from.
const retrievedPages = 20

// retrieve answers questions by whole passages within a budget of tokens.
func retrieve(ctx context.Context, v *call, req api.RetrieveRequest) (out api.RetrieveResponse, err error) {
	out.Passages = []api.RetrievedPassage{}
	fresh, err := freshnessOf(ctx, req.MaxAge, req.Stale)
	if err != nil {
		return out, err
	}
	queries, err := retrieveQueries(req)
	if err != nil {
		return out, err
	}
	found, err := fresh.look(ctx, v, queries)
	if err != nil {
		return out, err
	}
	var rankings [][]search.Result
	var notes []string
	for i, r := range found.found {
		rankings = append(rankings, r.Results)
		if note := noteOf(queries[i].Text, r); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	out.Note = strings.Join(notes, "; ")
	taken := passage.Fit(passage.Fuse(rankings...), req.Tokens)
	places, err := placesOf(ctx, v, taken, found.seen)
	if err != nil {
		return out, err
	}
	taken = passage.Merge(taken, func(page, uid string) (passage.Place, bool) {
		at, ok := places[[2]string{page, uid}]
		return at, ok
	})
	captured := map[string]snapshot.Capture{}
	for _, p := range taken {
		if _, known := captured[p.Page.ID]; !known {
			if captured[p.Page.ID], err = indexedCapture(ctx, v, found.seen[p.Page.ID].item); err != nil {
				return out, err
			}
		}
		out.Tokens += p.Tokens()
		out.Passages = append(out.Passages, retrievedJSON(p, found.seen[p.Page.ID], captured[p.Page.ID]))
	}
	out.Stale = found.stale
	return out, nil
}

// retrieveQueries are the searches for the questions of a request.
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

// placesOf are where the chunks of pages stand, by page and uid. What the index was given of a page may be another
// than what was found; then nothing is known of that.
func placesOf(ctx context.Context, v *call, taken []passage.Passage, seen map[string]sighting) (
	map[[2]string]passage.Place, error) {
	places, read := map[[2]string]passage.Place{}, map[string]bool{}
	for _, p := range taken {
		it := seen[p.Page.ID].item
		if it.Manifest == "" || read[p.Page.ID] {
			continue
		}
		read[p.Page.ID] = true
		records, err := v.Manifests.Records(ctx, it.ID, it.Manifest)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			places[[2]string{p.Page.ID, string(r.ChunkUID)}] = passage.Place{Ordinal: r.DocID, Start: r.Start, End: r.End}
		}
	}
	return places, nil
}

// indexedCapture is the capture of an item that the index has; zero if that is not certain.
func indexedCapture(ctx context.Context, v *call, it registry.Item) (snapshot.Capture, error) {
	if it.IndexedHash == "" || it.IndexedHash == registry.Outdated {
		return snapshot.Capture{}, nil
	}
	ids, err := past(ctx, v, &it)
	if err != nil {
		return snapshot.Capture{}, err
	}
	for _, id := range ids {
		if it.IndexedHash == it.ContentHash {
			c, err := v.Snapshots.First(ctx, id, it.RawHash)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			return c, err
		}
		all, err := v.Snapshots.List(ctx, id)
		if err != nil {
			return snapshot.Capture{}, err
		}
		all = slices.DeleteFunc(all, func(c snapshot.Capture) bool { return c.ContentHash != it.IndexedHash })
		if len(all) > 0 {
			return slices.MaxFunc(all, func(a, b snapshot.Capture) int { return a.CapturedAt.Compare(b.CapturedAt) }), nil
		}
	}
	return snapshot.Capture{}, nil
}

func retrievedJSON(p passage.Passage, s sighting, c snapshot.Capture) api.RetrievedPassage {
	out := api.RetrievedPassage{
		Text: p.Text, URL: p.Page.URL, Title: p.Page.Title, HeadingPath: p.Heading, ItemID: p.Page.ID, Score: p.Score,
		Capture: strings.TrimPrefix(c.RawHash, "sha256:"), At: c.CapturedAt, CheckedAt: s.checkedAt(),
	}
	if !s.written.IsZero() {
		out.At = s.written
	}
	if p.Page.Type == index.TypePage && s.item.Type == "url" && len(p.Heading) > 0 {
		// Of both, browsers would follow the text, which is the heading's, and the id may be that of a term below it.
		out.Anchor = cmp.Or(escapedID(p.Anchor), fragmentOf(p.Heading[len(p.Heading)-1]))
	}
	return out
}

// escapedID is an id as it stands behind # in an address.
func escapedID(id string) string { return (&url.URL{Fragment: id}).EscapedFragment() }

// fragmentOf is a text fragment, by which browsers scroll to a text
// (https://wicg.github.io/scroll-to-text-fragment/#syntax).
func fragmentOf(text string) string {
	return ":~:text=" + strings.NewReplacer("+", "%20", "-", "%2D").Replace(url.QueryEscape(text))
}
