package handlers

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// maxSorted is how many items are sorted, and maxLooked how many are looked at for a page.
	maxSorted = 5000
	maxLooked = 20_000
	// walkPiece is how many are looked at at once.
	walkPiece = 1000
)

// items lists the registry, a page at a time.
func items(ctx context.Context, v *call, q api.ItemQuery) (page api.ItemPage, err error) {
	status := registry.Status(q.Status)
	if status != "" && !slices.Contains(registry.Statuses, status) {
		return page, fault.Field("status", "status must be one of %v, not %q", registry.Statuses, status)
	}
	f := registry.Filter{Host: q.Host, Status: status, Paused: q.Paused}
	if q.Tag != "" {
		if f.Tag, err = options.TagName(q.Tag); err != nil {
			return page, fault.Field("tag", "tag: %w", err)
		}
	}
	switch {
	case q.Sort != "":
		return sortedItems(ctx, v, q, f)
	case f.Tag != "" || f.Paused:
		return pickedItems(ctx, v, q, f)
	}
	found, err := v.Registry.Items.List(ctx, registry.ListQuery{
		Host: q.Host, Status: status, After: q.Continuation,
		Top: q.Top + 1, // one more than is shown tells whether there is another page
	})
	if err != nil {
		return page, err
	}
	if len(found) > q.Top {
		found = found[:q.Top]
		page.Continuation = registry.Place(&found[q.Top-1])
	}
	page.Items = itemsJSON(found)
	return page, nil
}

func itemsJSON(found []registry.Item) []api.Item {
	out := make([]api.Item, len(found))
	for i := range found {
		out[i] = itemJSON(&found[i])
	}
	return out
}

// pickedItems lists items of which no list is kept. A page may be short, or empty, while there is a continuation.
func pickedItems(ctx context.Context, v *call, q api.ItemQuery, f registry.Filter) (page api.ItemPage, err error) {
	at, err := cursorOf(q.Continuation)
	if err != nil {
		return page, err
	}
	var found []registry.Item
	for looked := 0; len(found) < q.Top && looked < maxLooked; {
		p, err := v.Registry.Requests.Pick(ctx, f, at, min(walkPiece, q.Top-len(found)+fewItems))
		if err != nil {
			return page, err
		}
		room := q.Top - len(found)
		if len(p.Items) > room {
			// Those that are left over are looked at again: the next page begins behind the last that is shown.
			last := p.Items[room-1]
			found, at = append(found, p.Items[:room]...), registry.Behind(&last)
			page.Continuation = cursorText(at)
			break
		}
		found, at, looked = append(found, p.Items...), p.Next, looked+max(p.Looked, 1)
		if page.Continuation = ""; p.Done {
			break
		}
		page.Continuation = cursorText(at)
	}
	page.Items = itemsJSON(found)
	return page, nil
}

// fewItems are looked at along, where few are missing.
const fewItems = 100

func cursorText(c registry.Cursor) string {
	b, _ := json.Marshal(c) // two texts
	return base64.RawURLEncoding.EncodeToString(b)
}

func cursorOf(text string) (c registry.Cursor, err error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && text != "" {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fault.Field("continuation", "continuation does not belong to this list: %.60q", text)
	}
	return c, nil
}

// orders are how items can be sorted.
var orders = map[string]func(a, b *registry.Item) int{
	"source":      func(a, b *registry.Item) int { return strings.Compare(a.NormalizedSource, b.NormalizedSource) },
	"status":      func(a, b *registry.Item) int { return cmp.Compare(statusRank(a), statusRank(b)) },
	"lastChecked": func(a, b *registry.Item) int { return a.LastChecked.Compare(b.LastChecked) },
	"lastChanged": func(a, b *registry.Item) int { return a.LastChanged.Compare(b.LastChanged) },
	"nextCrawlAt": func(a, b *registry.Item) int { return a.NextCrawlAt.Compare(b.NextCrawlAt) },
	"firstSeen":   func(a, b *registry.Item) int { return a.FirstSeen.Compare(b.FirstSeen) },
}

func statusRank(it *registry.Item) int { return slices.Index(registry.Statuses, it.Status) }

// sortedItems lists items in an order. No order is kept, so all of them are read.
func sortedItems(ctx context.Context, v *call, q api.ItemQuery, f registry.Filter) (page api.ItemPage, err error) {
	by, down := strings.CutPrefix(q.Sort, "-")
	order := orders[by]
	if order == nil {
		return page, fault.Field("sort", "sort must be one of source, status, lastChecked, lastChanged, nextCrawlAt and "+
			"firstSeen, with a hyphen before it for the other way round, not %.40q", q.Sort)
	}
	skip := 0
	if q.Continuation != "" {
		if skip, err = strconv.Atoi(q.Continuation); err != nil || skip < 0 {
			return page, fault.Field("continuation", "continuation does not belong to this list: %.60q", q.Continuation)
		}
	}
	var found []registry.Item
	looked := 0
	for at, done := (registry.Cursor{}), false; !done; {
		p, err := v.Registry.Requests.Pick(ctx, f, at, walkPiece)
		if err != nil {
			return page, err
		}
		found, at, done, looked = append(found, p.Items...), p.Next, p.Done, looked+p.Looked
		if len(found) > maxSorted || looked > maxLooked {
			return page, fault.Field("sort", "there are too many items to sort: name a host, a status or a tag that fewer "+
				"than %d have, or leave sort out", maxSorted)
		}
	}
	slices.SortStableFunc(found, func(a, b registry.Item) int {
		if down {
			a, b = b, a
		}
		return order(&a, &b)
	})
	found = found[min(skip, len(found)):]
	if len(found) > q.Top {
		found, page.Continuation = found[:q.Top], strconv.Itoa(skip+q.Top)
	}
	page.Items = itemsJSON(found)
	return page, nil
}
