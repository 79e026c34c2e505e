package client

import (
	"cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// maxTitle bounds the title of a source in a line, in characters.
const maxTitle = 60

// sourceOf returns the address of an item's source.
func sourceOf(it api.Item) string {
	return terminal.Clean(cmp.Or(it.DisplaySource, it.NormalizedSource))
}

// nameOf returns the title and the address of an item, or the address alone if it has no title.
func nameOf(it api.Item) string {
	if it.Title == "" {
		return sourceOf(it)
	}
	return terminal.Cut(terminal.Clean(it.Title), maxTitle) + "  " + sourceOf(it)
}
