package verdict

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Answer is what a source answered.
type Answer struct {
	Response fetch.Response // for a file, what a web server would have answered
	Raw      string         // sha256:<hex> of the body
	// Plain is the hash of the body that the source sent, and Sent that body, if the body of the response is a rendered
	// page in its place. Both are empty for other answers.
	Plain       string
	Sent        []byte
	File        *file.Response // nil for a page
	Conditional bool           // whether validators were sent
	Headed      bool           // whether a HEAD request came before, and its answer was not enough
	// Other is the address that answered after the one that is usually requested had failed; "" if that one answered.
	Other string
}

// ContentType returns the type of the body. A rendered page is HTML in UTF-8, whatever the source sent.
func (a Answer) ContentType() string {
	if a.Plain != "" {
		return snapshot.RenderedType
	}
	return a.Response.Header.Get("Content-Type")
}

// noteValidators records the validators that make the next check cheap. It may be called only when the body that came
// with the validators is known. Otherwise the next check would treat a body that was never stored as unchanged.
func noteValidators(it registry.Item, got Answer) registry.Item {
	before := it.HTTPFinalURL
	it.HTTPFinalURL = finalURL(got.Response)
	if got.File != nil {
		return noteProperties(it, *got.File)
	}
	etag, modified := validatorsOf(got.Response)
	same := got.Response.FinalURL == before && etag == it.HTTPEtag && modified == it.LastModified()
	it.HTTPUnconditional = same && (got.Conditional || it.HTTPUnconditional)
	it.Validators.NoHead = it.Validators.NoHead || got.Headed && same
	it.Validators.Length = got.Response.Header.Get("Content-Length")
	it.HTTPEtag = etag
	it.SetLastModified(modified)
	it.HTTPContentLength = int64(len(got.Response.Body))
	return it
}

// IsPause reports whether a host asks for a pause (A13).
func IsPause(resp fetch.Response) bool {
	return resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable
}

// PauseOf returns the length of the pause that a host asks for, at most a day. If the host gives no length, it
// returns five minutes.
func PauseOf(resp fetch.Response) time.Duration {
	const unasked = 5 * time.Minute
	if resp.RetryAfter <= 0 {
		return unasked
	}
	return min(resp.RetryAfter, policy.MaxPause)
}

// NoteResponse records on the item what every answer of a web server contains: the status, the target of redirects, and
// the address that answered, which the next check requests.
func NoteResponse(it registry.Item, got Answer, rules source.Rules) registry.Item {
	resp := got.Response
	if got.Other != "" {
		it.FetchSource = requested(&it, got.Other)
	}
	it.HTTPStatusCode, it.HTTPRedirectChain = resp.Status, nil
	for _, hop := range resp.Redirects {
		it.HTTPRedirectChain = append(it.HTTPRedirectChain, fmt.Sprintf("%d %s", hop.Status, PublicURL(hop.Location)))
	}
	if resp.FinalURL == "" || resp.FinalURL == FetchURL(&it) {
		return it
	}
	// A redirect that only changes the spelling, such as a trailing slash, need not happen again: the next check
	// requests the new spelling.
	final, err := rules.ParseURL(resp.FinalURL)
	if err != nil || final.Normalized != it.NormalizedSource {
		return it
	}
	if form, err := source.FetchForm(resp.FinalURL); err == nil {
		it.FetchSource = requested(&it, form)
	}
	return it
}

// requested returns an address in the form in which items store it: "" for the item's identity.
func requested(it *registry.Item, form string) string {
	if form == it.NormalizedSource {
		return ""
	}
	return form
}

// OtherForms returns the addresses of an item that have not been requested, after an answer that may be due to the form
// of the address that was: the address with the trackers that were given, and the item's identity. An answer with
// Retry-After is about the time.
func OtherForms(it *registry.Item, resp fetch.Response) (forms []string) {
	switch resp.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
	default:
		return nil
	}
	if it.Type != source.URL || resp.Header.Get("Retry-After") != "" {
		return nil
	}
	asked := FetchURL(it)
	for _, form := range []string{it.FetchTracked, it.NormalizedSource} {
		if form != "" && form != asked {
			forms = append(forms, form)
		}
	}
	return forms
}
