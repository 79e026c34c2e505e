package api

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"
)

// Past completes the lists of captures and edges of an item, newest first. It loads a list again only if the list may
// have been cut at [MaxPast].
func (c *Client) Past(ctx context.Context, item *ItemDetail) error {
	if len(item.Captures) >= MaxPast {
		all, err := whole(func(after string) ([]Capture, string, error) {
			page, err := ListCaptures.Call(ctx, c, CaptureQuery{ID: item.ID, Continuation: after})
			return page.Captures, page.Continuation, err
		})
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b Capture) int {
			return cmp.Or(b.CapturedAt.Compare(a.CapturedAt), b.ReprocessedAt.Compare(a.ReprocessedAt))
		})
		item.Captures = all
	}
	if len(item.Lineage) >= MaxPast {
		all, err := whole(func(after string) ([]Edge, string, error) {
			page, err := ListEdges.Call(ctx, c, EdgeQuery{ID: item.ID, Continuation: after})
			return page.Lineage, page.Continuation, err
		})
		if err != nil {
			return err
		}
		item.Lineage = all
	}
	return nil
}

// maxBrokenPages bounds the pages of the feed that BrokenWatches reads.
const maxBrokenPages = 10

// EmptyFor is how long a watched part may be empty before that is a problem which a person is asked about.
const EmptyFor = 30 * 24 * time.Hour

// WatchProblem says why the watch of an item is broken, or that what it watches has been empty for [EmptyFor]; "" if
// neither is so.
func (it Item) WatchProblem() string {
	switch {
	case it.WatchBroken:
		return cmp.Or(it.Why, "the watch is broken")
	case it.WatchEmpty != nil && it.LastChecked.Sub(it.WatchEmpty.Since) >= EmptyFor:
		return "what is watched has been empty since " + it.WatchEmpty.Since.Format(time.DateOnly)
	}
	return ""
}

// BrokenWatches returns the items whose watch broke and is still broken, and those of which a part has been empty for
// [EmptyFor], of one host or of all, the latest first. It finds them by the changes of that kind. The result more is
// true if there may be others: it returns at most as many as most, and looks only so far back.
func (c *Client) BrokenWatches(ctx context.Context, host string, most int) (out []Item, more bool, err error) {
	q := ChangeQuery{Kind: string(ChangeWatchBroken), Host: host, Silenced: "true", Top: 50}
	seen := map[string]bool{}
	for range maxBrokenPages {
		lately, err := ListChanges.Call(ctx, c, q)
		if err != nil {
			return out, false, err
		}
		for _, change := range lately.Changes {
			if seen[change.ItemID] {
				continue
			}
			seen[change.ItemID] = true
			it, err := GetItem.Call(ctx, c, ItemID{ID: change.ItemID})
			if problem, ok := errors.AsType[*Problem](err); ok && problem.Status == http.StatusNotFound {
				continue // the item was removed
			}
			if err != nil {
				return out, false, err
			}
			if len(out) == most && it.WatchProblem() != "" {
				return out, true, nil
			}
			if it.WatchProblem() != "" {
				out = append(out, it.Item)
			}
		}
		if q.Continuation = lately.Continuation; q.Continuation == "" {
			return out, false, nil
		}
	}
	return out, true, nil
}

// Pages reads a listing page by page and stops at the first error.
func (c *Client) Pages(ctx context.Context, q ItemQuery) iter.Seq2[ItemPage, error] {
	return pages(q.Continuation, func(after string) (ItemPage, string, error) {
		q.Continuation = after
		page, err := ListItems.Call(ctx, c, q)
		return page, page.Continuation, err
	})
}

// Changes reads a list of changes page by page and stops at the first error.
func (c *Client) Changes(ctx context.Context, q ChangeQuery) iter.Seq2[ChangePage, error] {
	return pages(q.Continuation, func(after string) (ChangePage, string, error) {
		q.Continuation = after
		page, err := ListChanges.Call(ctx, c, q)
		return page, page.Continuation, err
	})
}

// whole reads all pages of a listing.
func whole[T any](read func(after string) (page []T, next string, err error)) (all []T, err error) {
	for page, err := range pages("", read) {
		if all = append(all, page...); err != nil {
			return all, err
		}
	}
	return all, nil
}

// pages reads a listing page by page. If a continuation is the same as the one before, pages ends with an error,
// because reading on would never end.
func pages[P any](after string, read func(after string) (page P, next string, err error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for {
			page, next, err := read(after)
			if err == nil && next != "" && next == after {
				err = errors.New("the server gives the same page again and again")
			}
			if !yield(page, err) || err != nil || next == "" {
				return
			}
			after = next
		}
	}
}
