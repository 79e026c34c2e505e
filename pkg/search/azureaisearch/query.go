package azureaisearch

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// query is a search in its wire form (https://learn.microsoft.com/rest/api/searchservice/documents/search-post).
type query struct {
	Search            string        `json:"search,omitempty"`
	QueryType         string        `json:"queryType"`
	SearchFields      string        `json:"searchFields,omitempty"`
	Filter            string        `json:"filter,omitempty"`
	OrderBy           string        `json:"orderby,omitempty"`
	Select            string        `json:"select,omitempty"`
	Top               int           `json:"top"`
	Skip              int           `json:"skip,omitempty"`
	Count             bool          `json:"count,omitempty"`
	Highlight         string        `json:"highlight,omitempty"`
	HighlightPreTag   string        `json:"highlightPreTag,omitempty"`
	HighlightPostTag  string        `json:"highlightPostTag,omitempty"`
	ScoringStatistics string        `json:"scoringStatistics,omitempty"`
	SessionID         string        `json:"sessionId,omitempty"`
	VectorQueries     []vectorQuery `json:"vectorQueries,omitempty"`
	// Only the semantic ranker uses the fields below.
	SemanticConfiguration string `json:"semanticConfiguration,omitempty"`
	SemanticErrorHandling string `json:"semanticErrorHandling,omitempty"`
	SemanticMaxWait       int    `json:"semanticMaxWaitInMilliseconds,omitempty"`
}

type vectorQuery struct {
	Kind   string    `json:"kind"`
	Vector []float32 `json:"vector"`
	Fields string    `json:"fields"`
	K      int       `json:"k"`
}

// row is a document in an answer, with the fields that the query selected.
type row struct {
	Score float64 `json:"@search.score"`
	// RerankerScore is the score of the semantic ranker, 0 to 4.
	RerankerScore float64             `json:"@search.rerankerScore"`
	Highlights    map[string][]string `json:"@search.highlights"`
	ID            string              `json:"id"`
	ParentPageID  string              `json:"parentPageId"`
	Kind          string              `json:"kind"`
	UID           string              `json:"uid"`
	Anchor        string              `json:"anchor"`
	Zone          string              `json:"zone"`
	URL           string              `json:"url"`
	Title         string              `json:"title"`
	Language      string              `json:"language"`
	Host          string              `json:"host"`
	Type          string              `json:"type"`
	ChangedAt     time.Time           `json:"changedAt"`
	PublishedAt   time.Time           `json:"publishedAt"`
	Heading       string              `json:"heading"`
	Text          string              `json:"text"`
	Images        []string            `json:"images"`
	Tags          []string            `json:"tags"`
	Src           string              `json:"src"`
	Alt           string              `json:"alt"`
	Caption       string              `json:"caption"`
	Group         string              `json:"group"`
	Rank          string              `json:"rank"`
	Content       string              `json:"content"`
}

// answer is one page of search results.
type answer struct {
	Count int    `json:"@odata.count"`
	Next  string `json:"@odata.nextLink"` // set if the answer is incomplete
	Value []row  `json:"value"`
	// Partial is the reason why the semantic ranker did not rank the results.
	Partial string `json:"@search.semanticPartialResponseReason"`
}

// maxRows is the maximum number of documents in an answer.
const maxRows = 1000

func (s *service) query(ctx context.Context, q query) (found answer, err error) {
	q.QueryType = cmp.Or(q.QueryType, "full")
	_, err = s.call(ctx, request{method: http.MethodPost, path: "/docs/search.post.search", body: encode(q)}, &found)
	return found, err
}

// each calls the given function for every document that passes a filter, in the order of keys. It requests ranges of
// keys instead of skipping documents, because the service skips at most 100,000.
func (s *service) each(ctx context.Context, filter, fields string, do func(row)) error {
	from := ""
	for {
		q := query{Search: "*", Filter: filter, OrderBy: "id asc", Select: fields, Top: maxRows}
		if from != "" {
			q.Filter += " and id gt '" + from + "'"
		}
		found, err := s.query(ctx, q)
		if err != nil {
			return err
		}
		for _, d := range found.Value {
			do(d)
			from = d.ID
		}
		if len(found.Value) == 0 || len(found.Value) < maxRows && found.Next == "" {
			return nil
		}
	}
}

// Suggest returns titles that complete the typed text, best match first. It does not use the service's own
// suggesters. They need fields with a built-in analyzer
// (https://learn.microsoft.com/azure/search/index-add-suggesters), which the title does not have.
func (ix *Index) Suggest(ctx context.Context, typed string) (titles []string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Suggest")
	if err := search.CheckTyped(typed); err != nil {
		return nil, err
	}
	terms := search.Terms(typed)
	if len(terms) == 0 {
		return nil, nil
	}
	terms[len(terms)-1].Prefix = true
	found, err := ix.service.query(ctx, query{Search: expression(terms, "AND"), SearchFields: "title",
		Filter: "kind eq 'page'", Select: "title", Top: 4 * search.MaxSuggestions})
	for _, d := range found.Value {
		same := func(t string) bool { return strings.EqualFold(t, d.Title) }
		if len(titles) < search.MaxSuggestions && !slices.ContainsFunc(titles, same) {
			titles = append(titles, d.Title)
		}
	}
	return titles, err
}

// images returns the images of pages, by page, in page order. The page's own document stores the order, so that an
// image that moves within its page is not written again.
func (s *service) images(ctx context.Context, groups []group) (map[string][]search.Image, error) {
	var pages []string
	for _, g := range groups {
		pages = append(pages, pageKey(g.page))
	}
	order := map[string][]string{} // keys of images by page
	var keys []string
	err := s.each(ctx, in("id", pages), "id,images", func(d row) {
		page := pageOf(d.ID)
		for _, id := range d.Images {
			order[page] = append(order[page], imageKey(page, id))
		}
		keys = append(keys, order[page]...)
	})
	if err != nil {
		return nil, err
	}
	found := map[string]search.Image{}
	for part := range slices.Chunk(keys, maxRows) {
		err := s.each(ctx, in("id", part), "id,src,alt,title,caption", func(d row) {
			found[d.ID] = search.Image{Src: d.Src, Alt: d.Alt, Title: d.Title, Caption: d.Caption}
		})
		if err != nil {
			return nil, err
		}
	}
	return nested(order, found), nil
}

// nested groups images by page, in order.
func nested(order map[string][]string, found map[string]search.Image) map[string][]search.Image {
	images := map[string][]search.Image{}
	for page, keys := range order {
		for _, key := range keys {
			if img, there := found[key]; there {
				img.ID = key[len(imageKey(page, "")):]
				images[page] = append(images[page], img)
			}
		}
	}
	return images
}

// maxCompared limits the number of pages that one search compares, and so the number of its requests. A site may give
// the same canonical address for all of its pages.
const maxCompared = 5 * idsPerFilter

// distinct keeps one of the pages that form one result ([search.Page.Group]), and removes the others. Chunks have the
// group, but only the page's own document has the digest of the content. If chunks had the digest, a change to one
// chunk would rewrite all others. Therefore distinct requests the page documents if two of the pages have the same
// group.
func (ix *Index) distinct(ctx context.Context, pages []group) ([]group, error) {
	ids := sharing(pages)
	if len(ids) == 0 {
		return pages, nil
	}
	documents, err := ix.service.pageDocuments(ctx, ids[:min(len(ids), maxCompared)])
	if err != nil {
		return nil, err
	}
	type result struct{ group, content string }
	shown := map[result]row{}
	for _, d := range documents {
		r := result{d.Group, d.Content}
		best, other := shown[r]
		if !other ||
			cmp.Or(strings.Compare(d.Rank, best.Rank), strings.Compare(d.ParentPageID, best.ParentPageID)) < 0 {
			shown[r] = d
		}
	}
	return slices.DeleteFunc(pages, func(g group) bool {
		d, compared := documents[g.page]
		return compared && d.Group != "" && shown[result{d.Group, d.Content}].ParentPageID != g.page
	}), nil
}

// sharing returns the ids of the pages that share their group with another page.
func sharing(pages []group) (ids []string) {
	members := map[string]int{}
	for _, g := range pages {
		members[g.hits[0].Group]++
	}
	for _, g := range pages {
		if name := g.hits[0].Group; name != "" && members[name] > 1 {
			ids = append(ids, g.page)
		}
	}
	return ids
}

// pageDocuments returns the documents of pages, by page.
func (s *service) pageDocuments(ctx context.Context, ids []string) (map[string]row, error) {
	documents := map[string]row{}
	for part := range slices.Chunk(ids, idsPerFilter) {
		err := s.each(ctx, "kind eq 'page' and "+in("parentPageId", part), "id,parentPageId,group,rank,content",
			func(d row) { documents[d.ParentPageID] = d })
		if err != nil {
			return nil, err
		}
	}
	return documents, nil
}

var _ search.Inventory = (*Index)(nil)

// Inspect returns the contents of the index for a page, as searches can see them. Writes of the last seconds may not
// be visible yet. Errors: NotFound when nothing is visible.
func (ix *Index) Inspect(ctx context.Context, id string) (stored search.Stored, err error) {
	defer fault.Wrap(&err, "azureaisearch.Inspect(%s)", id)
	stored = search.Stored{Chunks: map[string]string{}, Images: map[string]bool{}}
	found := false
	if search.IsKey(id) {
		err = ix.service.each(ctx, in("parentPageId", []string{id}), "id,kind,uid,tags", func(d row) {
			found = true
			switch d.Kind {
			case "page":
				stored.Tags = append([]string(nil), d.Tags...)
			case "chunk":
				stored.Chunks[d.ID[len(chunkKey(id, "")):]] = d.UID
			case "image":
				stored.Images[d.ID[len(imageKey(id, "")):]] = true
			}
		})
	}
	if err == nil && !found {
		err = fault.New(fault.NotFound, "the index holds no page %s", id)
	}
	return stored, err
}

// IDs returns page ids in ascending order, starting after the given id. It returns at most top ids. IDs reads all
// documents of the pages, a thousand at a time, because it includes pages of which only parts are left.
func (ix *Index) IDs(ctx context.Context, after string, top int) (ids []string, err error) {
	defer fault.Wrap(&err, "azureaisearch.IDs")
	for len(ids) < top {
		q := query{Search: "*", Filter: "parentPageId gt '" + quotedOData(after) + "'", OrderBy: "parentPageId asc",
			Select: "parentPageId", Top: maxRows}
		found, err := ix.service.query(ctx, q)
		if err != nil || len(found.Value) == 0 {
			return ids, err
		}
		for _, d := range found.Value {
			if d.ParentPageID != after && len(ids) < top {
				after = d.ParentPageID
				ids = append(ids, after)
			}
		}
	}
	return ids, nil
}

// Texts returns the texts of chunks of a page, by their uids. It reads all chunks of the page, because uids are not
// filterable.
func (ix *Index) Texts(ctx context.Context, id string, uids []string) (texts map[string]string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Texts(%s)", id)
	texts = map[string]string{}
	if !search.IsKey(id) {
		return texts, nil
	}
	err = ix.service.each(ctx, in("parentPageId", []string{id})+" and kind eq 'chunk'", "id,uid,text", func(d row) {
		if slices.Contains(uids, d.UID) {
			texts[d.UID] = d.Text
		}
	})
	return texts, err
}
