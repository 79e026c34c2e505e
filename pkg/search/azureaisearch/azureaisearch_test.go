package azureaisearch

import (
	"context"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

func TestIndex(t *testing.T) {
	searchtest.Index(t, func(t *testing.T) search.Engine {
		server := aisearch.New(t)
		return refreshed{open(t, server, 0), server}
	})
}

func TestVectors(t *testing.T) {
	searchtest.Vectors(t, func(t *testing.T) search.Engine {
		server := aisearch.New(t)
		return refreshed{open(t, server, searchtest.Dimension), server}
	})
}

// quick returns the usual retries without their pauses.
func quick() azcore.ClientOptions {
	return azcore.ClientOptions{Retry: policy.RetryOptions{RetryDelay: time.Microsecond, MaxRetryDelay: time.Second}}
}

func open(t testing.TB, server *aisearch.Server, dimensions int) *Index {
	t.Helper()
	ix, err := Open(Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key, Dimensions: dimensions,
		Client: quick()})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// refreshed waits after each write until searches see it, because the suite expects that; the service promises it
// only for some seconds later.
type refreshed struct {
	*Index
	server *aisearch.Server
}

func (x refreshed) Put(ctx context.Context, pages ...search.Page) error {
	defer x.server.Refresh()
	return x.Index.Put(ctx, pages...)
}

func (x refreshed) Remove(ctx context.Context, id string, held *search.Contents) error {
	defer x.server.Refresh()
	return x.Index.Remove(ctx, id, held)
}
