package ui

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// facts puts into words what is known of a thing that a page lists.
func facts(of any) []form.Fact {
	switch of := of.(type) {
	case api.TagSettings:
		return form.Facts(of)
	case api.FeedChange:
		of.Why, of.Fields = "", nil // they have places of their own
		return form.Facts(of)
	case api.SearchResult:
		return form.Facts(of)
	case api.Capture:
		return form.Facts(of)
	}
	return nil
}

// Facts puts a part of what is known of the item into words: its settings, what a browser showed (rendered), or the
// rest (other). Its tags and values have places of their own.
func (d itemData) Facts(of string) (out []form.Fact) {
	for _, f := range form.OfItem(d.ItemDetail) {
		part := "other"
		if around, _, _ := strings.Cut(f.Path, "."); around == "rendered" || around == "fields" || around == "tags" {
			part = around
		} else if f.From != "" {
			part = "settings"
		}
		if part == of {
			out = append(out, f)
		}
	}
	return out
}

// held returns the settings of an item or a tag that are in force, each with its origin.
func held(known []form.Fact, e *api.Effective) (out []form.Fact) {
	for _, f := range known {
		if e != nil && e.From[f.Path] != "" {
			out = append(out, f)
		}
	}
	return out
}
