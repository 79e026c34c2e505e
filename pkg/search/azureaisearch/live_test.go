package azureaisearch

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
)

// TestLive runs the suite against a service, each test in an index of its own that is deleted afterwards. It needs
// TIDEMARK_TEST_SEARCH_ENDPOINT, and TIDEMARK_TEST_SEARCH_KEY unless the environment has another credential. It takes
// a quarter of an hour (-timeout 30m), nearly all of it spent waiting for documents to become visible. Without an
// endpoint it tests nothing.
func TestLive(t *testing.T) {
	endpoint := os.Getenv("TIDEMARK_TEST_SEARCH_ENDPOINT")
	if endpoint == "" {
		t.Log("no service: the contract server takes its place")
		return
	}
	searchtest.Index(t, func(t *testing.T) search.Engine {
		ix, err := Open(Options{Endpoint: endpoint, Key: os.Getenv("TIDEMARK_TEST_SEARCH_KEY"), Index: "tidemark-test-" +
			strings.ToLower(rand.Text()[:12])})
		must(t, err)
		t.Cleanup(func() {
			if _, err := ix.service.call(context.Background(), request{method: http.MethodDelete}, nil); err != nil {
				t.Errorf("index %s is left behind: %v", ix.service.name, err)
			}
		})
		return patient{ix}
	})
}

// patient waits after each write until searches see it, most probably
// (https://learn.microsoft.com/rest/api/searchservice/http-status-codes, 200).
type patient struct{ *Index }

const patience = 3 * time.Second

func (x patient) Put(ctx context.Context, pages ...search.Page) error {
	err := x.Index.Put(ctx, pages...)
	time.Sleep(patience)
	return err
}

func (x patient) Remove(ctx context.Context, id string, held *search.Contents) error {
	err := x.Index.Remove(ctx, id, held)
	time.Sleep(patience)
	return err
}
