package handlers

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// elements lists the elements of a captured page that can be chosen.
func (h *captureHandlers) elements(ctx context.Context, q api.ElementQuery) (out api.PageElements, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	found, err := h.Compare.Elements(ctx, past, q.Capture, q.Find)
	out = api.PageElements{Capture: history.Digest(found.Capture.RawHash), At: found.Capture.CapturedAt,
		Lines: []api.ElementLine{}, Total: found.Total, Cut: found.Cut, Why: found.Why}
	for _, l := range found.Lines {
		out.Lines = append(out.Lines, api.ElementLine{PageElement: elementJSON(l.Element), Larger: !l.Whole,
			Heading: l.Heading, Around: l.Around, Parts: wire.Each(l.Parts, elementJSON)})
	}
	return out, err
}

func elementJSON(e pick.Element) api.PageElement { return api.PageElement{Element: e.N, Text: e.Text} }

// try tries a watch on the last captures of an item.
func (h *captureHandlers) try(ctx context.Context, q api.TryRequest) (out api.WatchTrial, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	if _, err := options.Validate(api.Settings{TagSettings: api.TagSettings{Watch: q.Watch}}); err != nil {
		return out, err
	}
	done, err := h.Compare.Try(ctx, past, q.Watch,
		compare.Choice{Capture: q.Capture, Element: q.Element, Larger: q.Larger, As: q.As})
	out = api.WatchTrial{Watch: done.Watch, Selector: done.Selector, Text: done.Text, Larger: done.Larger,
		Captures: []api.TriedCapture{}}
	for _, t := range done.Captures {
		c := captureJSON(&past.Item, t.Capture)
		tried := api.TriedCapture{SHA256: c.SHA256, At: c.CapturedAt, Current: t.Capture.RawHash == past.Item.RawHash,
			Found: t.Found, Text: t.Text, Cut: t.Cut, Out: t.Out,
			OutText: t.OutText, Why: t.Why}
		if t.Entries != nil {
			tried.Entries, tried.NoEntry = entriesOf(t.Entries), t.Entries.Why
		}
		for _, l := range t.Ignored {
			tried.Ignored = append(tried.Ignored, api.IgnoredChange{Hunk: l.Text, Rule: l.Rule})
		}
		for _, f := range t.Fields {
			tried.Fields = append(tried.Fields, api.TriedField{Name: f.Name, Text: f.Value.Words(), State: string(f.State),
				Why: strings.ToValidUTF8(f.Evidence.Reason, "�")})
		}
		out.Captures = append(out.Captures, tried)
	}
	return out, err
}

// entriesOf returns the first entries of a list, and the number of the others.
func entriesOf(l *extract.Entries) (out []api.ListedEntry) {
	for i, e := range l.All {
		if i == feed.MaxListed {
			return append(out, api.ListedEntry{More: len(l.All) - i + l.More})
		}
		out = append(out, api.ListedEntry{Title: strings.ToValidUTF8(e.Title, "�"), URL: e.URL})
	}
	return out
}
