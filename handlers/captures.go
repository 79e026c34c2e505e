package handlers

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/compare"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// captureHandlers answer requests about the captures of an item: their text, the differences between them, and what
// was written to the index from the present capture.
type captureHandlers struct {
	History *history.History
	Compare *compare.Comparer
	Feed    *feed.Feed // finds the version of an item that the caller has read
}

// Routes returns the routes about captures.
func (h *captureHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListCaptures, h.captures),
		wire.On(api.ListEdges, h.edges),
		wire.OnAny(api.GetCapture, h.capture),
		wire.OnAny(api.GetText, h.text),
		wire.On(api.GetDiff, h.diff),
		wire.On(api.IgnoreLines, h.ignoreLines),
		wire.On(api.ListElements, h.elements),
		wire.On(api.ListOffers, h.offers),
		wire.On(api.TryWatch, h.try),
	}
}

// findPast returns an item with its past.
func (h *captureHandlers) findPast(ctx context.Context, id string) (history.Past, error) {
	p, err := h.History.Find(ctx, source.ID(id))
	return p, wire.Field("id", err)
}

// ignoreLines adds or removes rules for lines that do not count as changes.
func (h *captureHandlers) ignoreLines(ctx context.Context, q api.IgnoreRequest) (out api.IgnoreResult, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	done, err := h.Compare.Ignore(ctx, past, compare.Request{
		Pattern: q.Pattern, Patterns: q.Patterns, Text: q.Text, Was: q.Was, Hunk: q.Hunk, Lines: q.Lines,
		Query: compare.Query{From: q.From, To: q.To, Part: q.Part}, Preview: q.Preview, Undo: q.Undo,
	})
	return ignoredJSON(done), err
}

func ignoredJSON(done compare.Result) api.IgnoreResult {
	out := api.IgnoreResult{Rules: append([]string{}, done.Rules...),
		Ignore: append([]string{}, done.Ignore...), Saved: done.Saved, Undo: done.Undo,
		Changes: done.Changes, Unread: done.Unread, Lines: wire.Each(done.Lines, ignoreLine)}
	for _, s := range done.Silenced {
		c := api.SilencedChange{At: s.At, From: s.From, To: s.To, Whole: s.Whole}
		for _, l := range s.Lines {
			op := "removed"
			if l.Added {
				op = "added"
			}
			c.Lines = append(c.Lines, api.IgnoredChange{Hunk: l.Text, Op: op, Rule: l.Rule})
		}
		out.Silenced = append(out.Silenced, c)
	}
	return out
}

func ignoreLine(l compare.Proposal) api.IgnoreLine {
	return api.IgnoreLine{Was: l.Was, Is: l.Is, Fact: l.Fact, Moves: append([]string{}, l.Moves...), Pattern: l.Rule,
		Why: l.Why}
}

// imageJSON returns a picture of a page as a type of the API.
func imageJSON(img search.Image, page, address string) api.Image {
	return api.Image{
		ID: img.ID, Src: img.Src, Alt: img.Alt, Title: img.Title, Caption: img.Caption,
		ParentPageID: page, ParentPageURL: address, Source: address,
	}
}

// linkedPageJSON returns, as a type of the API, the page that a link leads to.
func linkedPageJSON(it registry.Item) *api.LinkedPage {
	return &api.LinkedPage{ID: string(it.ID), URL: it.DisplaySource, Title: it.Title, Status: api.Status(it.Status)}
}

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
			By: string(l.By), Heading: l.Heading, Level: l.Level, Entry: l.Entry, Table: l.Table, Row: l.Row,
			Head: l.Head, Around: l.Around, Parts: wire.Each(l.Parts, elementJSON)})
	}
	return out, err
}

// offers lists what a page offers to be told of.
func (h *captureHandlers) offers(ctx context.Context, q api.ItemID) (out api.PageOffers, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	out.Offers, err = h.Compare.Offers(ctx, past)
	return out, err
}

func elementJSON(e pick.Element) api.PageElement {
	return api.PageElement{Element: e.N, Text: e.Text, Column: e.Column}
}

func offerJSON(o compare.Offer) api.PartOffer {
	out := api.PartOffer{Scope: o.Scope, Selector: o.Selector, Says: o.Words, By: string(o.By), Entries: o.Links != "",
		Text: o.Text, Found: o.Times, Elements: o.Shown}
	for _, edit := range []struct {
		name, outcome string
		into          **bool
	}{
		{"insertedAbove", o.Inserted, &out.Steady.InsertedAbove}, {"reordered", o.Reordered, &out.Steady.Reordered},
		{"otherClasses", o.Restyled, &out.Steady.OtherClasses},
	} {
		if edit.outcome != "" {
			kept := edit.outcome == pick.Kept
			*edit.into = &kept
		}
		if edit.outcome == pick.Another {
			out.Steady.Another = append(out.Steady.Another, edit.name)
		}
	}
	return out
}

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
		compare.Choice{Capture: q.Capture, Element: q.Element, Text: q.Text, Selector: q.Selector,
			Larger: q.Larger, Scope: q.Scope, As: q.As})
	out = api.WatchTrial{Watch: done.Watch, Selector: done.Selector, Text: done.Chosen.Text, Larger: done.Larger,
		Offers: wire.Each(done.Offers, offerJSON), Captures: []api.TriedCapture{}}
	if v := done.Value; v != nil {
		out.Value = &api.PickedValue{Name: v.Spec.Name, Type: string(v.Spec.Type), Text: v.Value.Words(), Unit: v.Unit}
	}
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

// captures lists all captures of an item, a page at a time, in the order of their digests.
func (h *captureHandlers) captures(ctx context.Context, q api.CaptureQuery) (api.CapturePage, error) {
	page := api.CapturePage{Captures: []api.Capture{}}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Captures(ctx, q.Continuation, q.Top)
	page.Continuation = next
	page.Captures = wire.Each(found, func(c snapshot.Capture) api.Capture { return captureJSON(&past.Item, c) })
	return page, wire.Field("continuation", err)
}

// edges lists which capture of an item replaced which other capture, a page at a time, newest first.
func (h *captureHandlers) edges(ctx context.Context, q api.EdgeQuery) (api.EdgePage, error) {
	page := api.EdgePage{Lineage: []api.Edge{}}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return page, err
	}
	found, next, err := past.Edges(ctx, q.Continuation, q.Top)
	page.Continuation = next
	page.Lineage = wire.Each(found, edgeJSON)
	return page, wire.Field("continuation", err)
}

// plain answers with the bytes that a source sent, of a rendered page.
func (h *captureHandlers) plain(ctx context.Context, q api.CaptureID, c snapshot.Capture) (any, error) {
	switch {
	case !q.Raw:
		return nil, fault.Field("plain", "plain=true gives bytes: add raw=true")
	case c.PlainHash == "":
		return nil, fault.Field("plain", "the capture was not rendered: its bytes are those that the source sent")
	}
	body, err := h.History.Sent(ctx, c)
	t := snapshot.Capture{Header: c.Header, MimeType: c.MimeType}.ContentType()
	return wire.Content{Body: body, MediaType: t, Filename: history.Digest(c.PlainHash)}, err
}

// capture answers with the content of a capture: its text, or the bytes as they were received.
func (h *captureHandlers) capture(ctx context.Context, q api.CaptureID) (any, error) {
	if _, _, err := source.ParseID(q.ID); err != nil {
		return nil, wire.Field("id", err)
	}
	if !history.IsDigest(q.SHA256) {
		return nil, fault.Field("sha256", "sha256 is not 64 hexadecimal digits")
	}
	c, body, err := h.History.Load(ctx, source.ID(q.ID), q.SHA256)
	if err != nil {
		return nil, err
	}
	if q.Plain {
		return h.plain(ctx, q, c)
	}
	if q.Raw {
		return wire.Content{Body: body, MediaType: c.ContentType(), Filename: q.SHA256}, nil
	}
	doc, err := h.History.Read(ctx, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.Field("raw", "text cannot be extracted from %s; raw=true gives the bytes", doc.MimeType)
	}
	return wire.Content{Body: []byte(doc.Text), MediaType: "text/plain; charset=utf-8"}, nil
}

// text answers with the text of a page, at present or at a given time.
func (h *captureHandlers) text(ctx context.Context, q api.TextQuery) (any, error) {
	if !slices.Contains([]string{"", "markdown", "text", "json"}, q.Format) {
		return nil, fault.Field("format", "format must be markdown, text or json, not %.40q", q.Format)
	}
	if q.Zone != "" && q.Zone != api.ZoneMain {
		return nil, fault.Field("zone", "zone must be main, not %.40q", q.Zone)
	}
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return nil, err
	}
	digest, err := captureAsOf(ctx, past, q.AsOf)
	if err != nil {
		return nil, err
	}
	c, body, err := past.Load(ctx, digest)
	if err != nil {
		return nil, err
	}
	doc, err := h.History.Read(ctx, c, body)
	if err != nil {
		return nil, err
	}
	if doc.Unsupported {
		return nil, fault.New(fault.NotFound,
			"text cannot be extracted from %s; items/%s/captures/%s?raw=true gives the bytes", doc.MimeType, q.ID, digest)
	}
	if q.Zone == api.ZoneMain {
		doc.Text, doc.Blocks = doc.MainText(), extract.MainBlocks(doc.Blocks)
	}
	switch q.Format {
	case "text":
		return wire.Content{Body: []byte(withCut(doc.Text, doc)), MediaType: "text/plain; charset=utf-8"}, nil
	case "json":
		it := &past.Item
		return api.PageText{
			ItemID: string(it.ID), URL: it.DisplaySource, Title: doc.Title, Capture: digest, At: c.CapturedAt,
			CheckedAt: checkedAt(it, c), Current: c.RawHash == it.RawHash,
			NextCheckIn: int(it.NextCheckIn(time.Now()).Seconds()), Text: extract.Markdown(doc.Blocks), Cut: doc.CutWhy(),
		}, nil
	}
	return wire.Content{Body: []byte(withCut(extract.Markdown(doc.Blocks), doc)),
		MediaType: "text/markdown; charset=utf-8"}, nil
}

// withCut appends to a text a line about the parts of the document that are not read.
func withCut(text string, doc extract.Document) string {
	if why := doc.CutWhy(); why != "" {
		return text + extract.Separator + "[Cut: " + why + ".]"
	}
	return text
}

// captureAsOf returns the digest of the capture that asOf selects: a digest selects itself, a time
// selects the capture of that time, and "" selects the present capture.
func captureAsOf(ctx context.Context, past history.Past, asOf string) (string, error) {
	switch {
	case history.IsDigest(asOf):
		return asOf, nil
	case asOf == "":
		return past.Current()
	}
	at, err := wire.Since("asOf", asOf, time.Now())
	if err != nil {
		return "", err
	}
	if _, err := time.Parse(time.DateOnly, asOf); err == nil {
		at = at.Add(24*time.Hour - 1) // the end of the day
	}
	return past.At(ctx, at)
}
