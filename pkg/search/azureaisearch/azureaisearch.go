// Package azureaisearch keeps the search index in Azure AI Search, over its REST API at version apiVersion
// (https://learn.microsoft.com/rest/api/searchservice/). Package searchtest tests this package against the port. The
// tests use the contract server searchtest/aisearch, or a real service (TIDEMARK_TEST_SEARCH_ENDPOINT).
//
// # Documents
//
// One index holds documents of pages, chunks and images, and one marker document; definition.go lists their fields.
//
//	page   p-<id>                     the properties of the page, and the order of its first images
//	chunk  c<length>-<id>-<key>       the searched text, with the page's title, address and filters
//	image  i<length>-<id>-<image id>  parentPageId, parentPageUrl, and what is shown
//	marker filled                     records that the index was filled, or is about to be (fill.go)
//
// The length in a key is the length of the page's id. It keeps the keys of different pages distinct, whatever
// characters they contain. A page's title is in each of its chunks, so that a chunk is found by words of the title
// and of its own text. When the title changes, all chunks of the page change.
//
// # Words
//
// The analyzer of the fields title, heading and text is built from components of the service. Words are runs of
// letters, digits and combining marks, regardless of case and diacritics. In scripts without spaces, each character
// is a word. Therefore the same words find the same pages as in the embedded index.
//
// Other forms of a word are found through the language fields stems_en, stems_de and so on. There is one for each
// language that has an analyzer with a stemmer. Because analyzers belong to fields, a chunk's title, heading and text
// are written a second time, to the field of its page's language. The copy increases the storage by half. The
// language fields alone would not be enough: they would not find a word in another language than the page's, a part
// of a number, or "the" in quotes.
//
// # Writing
//
// The service has no transactions. A Put first writes new chunks and images, then deletes removed ones, each in as
// few requests as the limits allow. Therefore a page can be found at every moment, and a Put that is repeated after a
// crash has the same result. An answer shows only chunks that agree on the page's title. Writes become visible to
// searches some seconds later.
//
// With [search.Page.Known], the package can compute the difference, and an unchanged page costs one small document.
// Without it, the package asks the index for the keys of the page's documents and writes everything. The index does
// not yet show writes of the last seconds. So a caller that does not know how a Put ended should wait some seconds
// before it repeats the Put.
//
// # Searching
//
// A search requests the best thousand chunks, groups them by page, and fetches the passages of the pages that are
// shown. If more chunks match and paging needs them, the search requests up to ten thousand. Pages beyond these
// cannot be reached. In this case, the count and the facets are estimated from the first thousand chunks. Exact
// counts would need a facet with a value for every matching page.
package azureaisearch

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

var _ search.Engine = (*Index)(nil)

// Index is an index of a search service. It is safe for concurrent use.
type Index struct {
	service    *service
	dimensions int
	model      string
	semantic   bool
	tag        string // the tag that delimits highlights; a random name that no text contains
}

// Options select an index and the connection to it.
type Options struct {
	Endpoint string // https://<service>.search.windows.net
	Index    string // 2 to 128 lower-case letters, digits, single - and _
	// Key is an admin key of the service. Without a key, [azidentity.DefaultAzureCredential] is used; its identity
	// needs the roles Search Service Contributor and Search Index Data Contributor.
	Key string
	// Dimensions is the length of the vectors, 2 to 4096. If it is 0, the index has no vectors.
	Dimensions int
	Model      string // the model of the vectors; an index with vectors of another model is refilled
	// Semantic makes the service's semantic ranker sort the first results of a search by relevance. This needs one
	// more request. The ranker is billed, and must be enabled at the service.
	Semantic bool
	// Client sets the transport, and the policy for retries of whole requests. The default is three retries, at most
	// ten seconds apart. When the service asks for a longer pause, the request fails at once.
	Client azcore.ClientOptions
}

// indexName is the syntax of index names (https://learn.microsoft.com/rest/api/searchservice/naming-rules).
var indexName = regexp.MustCompile(`^[a-z0-9]([-_]?[a-z0-9])+$`)

// Open prepares an index, without sending a request. Errors: Invalid for settings that can never work, with the name
// of the field (endpoint, index, dimensions).
func Open(o Options) (*Index, error) {
	endpoint, err := url.Parse(o.Endpoint)
	local := err == nil && endpoint.Scheme == "http" && (endpoint.Hostname() == "localhost" ||
		endpoint.Hostname() == "127.0.0.1")
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && !local || endpoint.User != nil ||
		endpoint.RawQuery != "" {
		return nil, fault.Field("endpoint", "the endpoint of a search service looks like https://name.search.windows.net")
	}
	if !indexName.MatchString(o.Index) || len(o.Index) > 128 {
		return nil, fault.Field("index",
			"index name %.40q is not 2 to 128 lower-case letters, digits, and single - and _ between them", o.Index)
	}
	if o.Dimensions < 0 || o.Dimensions == 1 || o.Dimensions > 4096 {
		return nil, fault.Field("dimensions", "vectors of %d dimensions: 2 to 4096 are possible, or 0", o.Dimensions)
	}
	auth, err := authPolicy(o.Key, local)
	if err != nil {
		return nil, err
	}
	c := withDefaults(o.Client)
	return &Index{dimensions: o.Dimensions, model: o.Model, semantic: o.Semantic, tag: newTag(), service: &service{
		endpoint: strings.TrimRight(o.Endpoint, "/"), name: o.Index, pause: c.Retry.RetryDelay,
		pipeline: runtime.NewPipeline("tidemark", "v1", runtime.PipelineOptions{PerRetry: []policy.Policy{auth}}, &c),
	}}, nil
}

func authPolicy(key string, local bool) (policy.Policy, error) {
	if key != "" {
		o := &runtime.KeyCredentialPolicyOptions{InsecureAllowCredentialWithHTTP: local}
		return runtime.NewKeyCredentialPolicy(azcore.NewKeyCredential(key), "api-key", o), nil
	}
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "no credential for the search service: %w", err)
	}
	return runtime.NewBearerTokenPolicy(credential, []string{"https://search.azure.com/.default"}, nil), nil
}

func withDefaults(c azcore.ClientOptions) azcore.ClientOptions {
	c.Retry.MaxRetryDelay = cmp.Or(c.Retry.MaxRetryDelay, 10*time.Second)
	c.Retry.RetryDelay = cmp.Or(c.Retry.RetryDelay, 800*time.Millisecond)
	if c.Transport == nil {
		c.Transport = &http.Client{
			// Following a redirect would send the key to another host. The service itself has no redirects.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c
}

// newTag returns a random name for the tag, so that no text contains it.
func newTag() string { return "t" + strings.ToLower(rand.Text()) }

// Close does nothing, because connections are shared and close by themselves.
func (ix *Index) Close() error { return nil }

// Count returns the number of pages that are visible to searches.
func (ix *Index) Count(ctx context.Context) (int, error) {
	found, err := ix.service.query(ctx, query{Search: "*", Filter: "kind eq 'page'", Count: true})
	return found.Count, err
}

// Ping checks that the service answers, by requesting the number of pages.
func (ix *Index) Ping(ctx context.Context) error {
	_, err := ix.Count(ctx)
	return err
}

// Put replaces the documents of these pages in the index with exactly the given contents. It writes everything new
// before it deletes anything, so a page stays searchable all the time. If Put fails, some of the pages may have been
// written. Repeating the same Put completes them. If the service refuses a page, the error is Invalid and names the
// page.
func (ix *Index) Put(ctx context.Context, pages ...search.Page) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Put")
	var unknown []string
	for _, p := range pages {
		if err := ix.check(p); err != nil {
			return err
		}
		if p.Known == nil {
			unknown = append(unknown, p.ID)
		}
	}
	found, err := ix.service.keys(ctx, unknown)
	if err != nil {
		return err
	}
	var written, leaving []action
	for i, p := range pages {
		if comesAgain(pages[i+1:], p.ID) {
			continue // the service applies two actions on one document in an arbitrary order
		}
		w, l := ix.difference(p, found[p.ID])
		written, leaving = append(written, w...), append(leaving, l...)
	}
	if err := ix.service.apply(ctx, written); err != nil {
		return err
	}
	return ix.service.apply(ctx, leaving)
}

func comesAgain(pages []search.Page, id string) bool {
	return slices.ContainsFunc(pages, func(p search.Page) bool { return p.ID == id })
}

// check returns an error for a page that the port refuses. If the length of the page's vectors differs from that of
// the index's vectors, the error is Internal, because the settings are wrong and not the page.
func (ix *Index) check(p search.Page) error {
	if err := p.Check(); err != nil {
		return err
	}
	for _, c := range p.Chunks {
		if c.Vector != nil && ix.dimensions > 0 && !ix.isVector(c.Vector) {
			return fault.New(fault.Internal,
				"page %s has a vector of %d dimensions, or with no number in it, for an index of %d", p.ID, len(c.Vector),
				ix.dimensions)
		}
	}
	return nil
}

// isVector reports whether v can be stored in the index or compared with its vectors.
func (ix *Index) isVector(v []float32) bool {
	return len(v) == ix.dimensions && ix.dimensions > 0 &&
		!slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
}

// Remove removes a page. It deletes the page's own document last, so that an interrupted Remove can be detected.
// Repeating the call is harmless.
func (ix *Index) Remove(ctx context.Context, id string, known *search.Contents) (err error) {
	defer fault.Wrap(&err, "azureaisearch.Remove(%s)", id)
	if !search.IsKey(id) {
		return nil // no page has such an id
	}
	var found map[string][]string
	if known == nil {
		if found, err = ix.service.keys(ctx, []string{id}); err != nil {
			return err
		}
	}
	leaving := deletions(id, keysOf(id, known, found[id]), map[string]bool{pageKey(id): true})
	return ix.service.apply(ctx, append(leaving, action{kind: "delete", page: id, document: object{"id": pageKey(id)}}))
}

// keys returns the keys of the visible documents of pages, by page.
func (s *service) keys(ctx context.Context, pages []string) (map[string][]string, error) {
	found := map[string][]string{}
	for len(pages) > 0 {
		n := min(len(pages), idsPerFilter)
		filter := in("parentPageId", pages[:n])
		err := s.each(ctx, filter, "id,parentPageId",
			func(d row) { found[d.ParentPageID] = append(found[d.ParentPageID], d.ID) })
		if err != nil {
			return nil, err
		}
		pages = pages[n:]
	}
	return found, nil
}
