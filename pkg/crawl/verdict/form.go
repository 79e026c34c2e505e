package verdict

import (
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

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
