package wire

import (
	"net/url"
)

// Each returns a list in the form of the API. Without elements the list is empty rather than nil,
// which would be null in an answer.
func Each[T, A any](all []T, show func(T) A) []A {
	out := make([]A, len(all))
	for i, one := range all {
		out[i] = show(one)
	}
	return out
}

// Anchor escapes an id so that it can be the fragment of an address.
func Anchor(id string) string { return (&url.URL{Fragment: id}).EscapedFragment() }
