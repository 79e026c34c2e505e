package wire

import (
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Each returns a list in the form of the API. Without elements the list is empty rather than nil, which would be null
// in an answer.
func Each[T, A any](all []T, show func(T) A) []A {
	out := make([]A, len(all))
	for i, one := range all {
		out[i] = show(one)
	}
	return out
}

// Anchor escapes an id so that it can be the fragment of an address.
func Anchor(id string) string { return (&url.URL{Fragment: id}).EscapedFragment() }

// Image returns a picture of a page as a type of the API.
func Image(img search.Image, page, address string) api.Image {
	return api.Image{
		ID: img.ID, Src: img.Src, Alt: img.Alt, Title: img.Title, Caption: img.Caption,
		ParentPageID: page, ParentPageURL: address, Source: address,
	}
}

// LinkedPage returns, as a type of the API, the page that a link leads to.
func LinkedPage(it registry.Item) *api.LinkedPage {
	return &api.LinkedPage{ID: string(it.ID), URL: it.DisplaySource, Title: it.Title, Status: api.Status(it.Status)}
}
