package handlers

import (
	"cmp"
	"context"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// maxScanned bounds the changes that are looked at for a page.
const maxScanned = 5000

// changeFilter says which changes are wanted.
type changeFilter struct {
	host, of     string // of is a type; empty for any
	kinds        []string
	minShare     float64
	words        []string  // lower case
	since, until time.Time // zero for any
	after        feed.Place
}

func newChangeFilter(q api.ChangeQuery) (f changeFilter, err error) {
	f = changeFilter{host: strings.ToLower(q.Host), of: q.Type, minShare: q.MinShare,
		words: strings.Fields(strings.ToLower(q.Q))}
	if !slices.Contains([]string{"", "url", "file", "entry"}, q.Type) {
		return f, fault.Field("type", "type must be url, file or entry, not %.40q", q.Type)
	}
	for kind := range strings.SplitSeq(q.Kind, ",") {
		if kind = strings.TrimSpace(kind); kind == "" {
			continue
		}
		if !slices.Contains(api.ChangeKinds, api.ChangeKind(kind)) {
			return f, fault.Field("kind", "kind must be of %v, not %.40q", api.ChangeKinds, kind)
		}
		f.kinds = append(f.kinds, kind)
	}
	if place, err := feed.ParsePlace(q.Since); err == nil {
		f.after = place
	} else if f.since, err = sinceOf("since", q.Since, time.Now()); err != nil {
		return f, err
	}
	f.until, err = sinceOf("until", q.Until, time.Now())
	return f, err
}

func (f changeFilter) wants(c feed.Change) bool {
	switch {
	case f.host != "" && c.Host != f.host, f.of != "" && c.Type != f.of,
		len(f.kinds) > 0 && !slices.Contains(f.kinds, string(c.Kind)),
		c.Share < f.minShare, c.At.Before(f.since), !f.until.IsZero() && !c.At.Before(f.until):
		return false
	}
	if len(f.words) == 0 {
		return true
	}
	text := c.Title + "\n" + c.URL
	for _, p := range c.Passages {
		text += "\n" + p.Text
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(f.words, func(w string) bool { return !strings.Contains(text, w) })
}

// changes lists what has changed, a page at a time.
func changes(ctx context.Context, v *call, q api.ChangeQuery) (page api.ChangePage, err error) {
	f, err := newChangeFilter(q)
	if err != nil {
		return page, err
	}
	at := f.after
	if q.Continuation != "" {
		if at, err = feed.ParsePlace(q.Continuation); err != nil {
			return page, fault.Field("continuation", "continuation: %w", err)
		}
	}
	switch q.Order {
	case "", "newest":
		return newestChanges(ctx, v.Registry.Feed, f, q, at)
	case "oldest":
		return oldestChanges(ctx, v.Registry.Feed, f, q, at)
	}
	return page, fault.Field("order", "order must be newest or oldest, not %.40q", q.Order)
}

// newestChanges lists changes before a place, if this is not the first page.
func newestChanges(ctx context.Context, all *feed.Feed, f changeFilter, q api.ChangeQuery,
	at feed.Place) (page api.ChangePage, err error) {
	end, err := all.End(ctx)
	if err != nil {
		return page, err
	}
	if page.Cursor = end.String(); q.Continuation == "" {
		at = end
	}
	const slack = 5 * time.Minute // clocks differ, so changes are only about in the order of their times
	over := func(c feed.Change) bool {
		return !c.Place.After(f.after) || c.At.Before(f.since.Add(-slack)) && !f.since.IsZero()
	}
	page.Changes, _, page.Continuation, err = collect(all.Newest(ctx, at), f, q.Top, over)
	return page, err
}

// oldestChanges lists changes after a place.
func oldestChanges(ctx context.Context, all *feed.Feed, f changeFilter, q api.ChangeQuery,
	at feed.Place) (page api.ChangePage, err error) {
	if at == (feed.Place{}) && !f.since.IsZero() {
		if at, err = all.From(ctx, f.since); err != nil {
			return page, err
		}
	}
	var last feed.Place
	page.Changes, last, page.Continuation, err = collect(all.Oldest(ctx, at), f, q.Top, nil)
	if last == (feed.Place{}) {
		last = at
	}
	page.Cursor = last.String()
	return page, err
}

// collect takes changes that are wanted, up to top of them; last is the place up to which changes were looked at, and
// next is that place if there are more. It ends where over says so.
func collect(from iter.Seq2[feed.Change, error], f changeFilter, top int,
	over func(feed.Change) bool) (out []api.FeedChange, last feed.Place, next string, err error) {
	out = []api.FeedChange{}
	scanned := 0
	for c, err := range from {
		if err != nil {
			return nil, last, "", err
		}
		if over != nil && over(c) {
			return out, last, "", nil
		}
		if len(out) == top || scanned == maxScanned {
			return out, last, last.String(), nil
		}
		scanned, last = scanned+1, c.Place
		if f.wants(c) {
			out = append(out, changeJSON(c))
		}
	}
	return out, last, "", nil
}

func changeJSON(c feed.Change) api.FeedChange {
	out := api.FeedChange{
		ID: c.Place.String(), ItemID: c.ItemID, EntryID: c.EntryID, Type: c.Type, Host: c.Host, URL: c.URL,
		Title: c.Title, At: c.At, Kind: api.ChangeKind(c.Kind), Why: c.Why, Share: c.Share,
		WordsAdded: c.WordsAdded, WordsRemoved: c.WordsRemoved,
		From: digestOf(c.From), To: digestOf(c.To),
	}
	for _, p := range c.Passages {
		out.Passages = append(out.Passages, api.ChangedPassage{Text: p.Text, Op: string(p.Op)})
	}
	if out.From != "" && out.To != "" && out.From != out.To {
		q := url.Values{"from": {out.From}, "to": {out.To}}
		out.Diff = "/api/items/" + url.PathEscape(c.ItemID) + "/diff?" + q.Encode()
	}
	return out
}

// digestOf is the digest of a capture as the API has it; none of what was never stored.
func digestOf(rawHash string) string {
	digest, _ := strings.CutPrefix(rawHash, "sha256:")
	if !isDigest(digest) {
		return ""
	}
	return digest
}

// titleOf is what a change is about, for people.
func titleOf(c api.FeedChange) string { return cmp.Or(c.Title, c.URL, c.ItemID, c.EntryID) }
