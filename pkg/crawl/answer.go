package crawl

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// fetched is what a source answered.
type fetched struct {
	resp        fetch.Response // of a file: as a web server would answer
	raw         string         // sha256:<hex> of the body
	file        *file.Response // of a file
	conditional bool           // validators were sent
}

// noteResponse keeps what every answer of a web server tells.
func noteResponse(it registry.Item, resp fetch.Response, rules source.Rules) registry.Item {
	it.HTTPStatusCode, it.HTTPRedirectChain = resp.Status, nil
	for _, hop := range resp.Redirects {
		it.HTTPRedirectChain = append(it.HTTPRedirectChain, fmt.Sprintf("%d %s", hop.Status, publicURL(hop.Location)))
	}
	if resp.FinalURL == "" || resp.FinalURL == fetchURL(&it) {
		return it
	}
	// A redirect that only changes the spelling (a trailing slash, say) is taken next time.
	final, err := rules.ParseURL(resp.FinalURL)
	if err != nil || final.Normalized != it.NormalizedSource {
		return it
	}
	if form, err := source.FetchForm(resp.FinalURL); err == nil {
		it.FetchSource = form
	}
	return it
}

// noteValidators keeps what makes the next check cheap. It comes when the body they belong to is known.
func noteValidators(it registry.Item, got fetched) registry.Item {
	before := it.HTTPFinalURL
	it.HTTPFinalURL = finalURL(got.resp)
	if got.file != nil {
		return noteProperties(it, *got.file)
	}
	etag, modified := got.resp.Header.Get("ETag"), got.resp.Header.Get("Last-Modified")
	asked := got.conditional && got.resp.FinalURL == before
	it.HTTPUnconditional = asked && etag == it.HTTPEtag && modified == it.HTTPLastModified
	it.HTTPEtag, it.HTTPLastModified = bounded(etag), bounded(modified)
	it.HTTPContentLength = int64(len(got.resp.Body))
	return it
}

// isPause reports whether a host asks to be left alone (A13).
func isPause(resp fetch.Response) bool {
	return resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable
}

// pauseOf is how long such a host is left alone: as long as it asks, or five minutes, at most a day.
func pauseOf(resp fetch.Response) time.Duration {
	const unasked = 5 * time.Minute
	if resp.RetryAfter <= 0 {
		return unasked
	}
	return min(resp.RetryAfter, registry.MaxPause)
}
