package azureaisearch

import "context"

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
