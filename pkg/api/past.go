package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// Captures reads one page of an item's captures, of 100; continuation is empty for the first.
func (c *Client) Captures(ctx context.Context, id, continuation string) (CapturePage, error) {
	var page CapturePage
	err := c.call(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/captures", values("continuation", continuation), nil, &page)
	return page, err
}

// Edges reads one page of an item's edges, likewise.
func (c *Client) Edges(ctx context.Context, id, continuation string) (EdgePage, error) {
	var page EdgePage
	err := c.call(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/lineage", values("continuation", continuation), nil, &page)
	return page, err
}

// Past reads all captures and edges of an item that came with so many that there may be more, newest first.
func (c *Client) Past(ctx context.Context, item *ItemDetail) error {
	if len(item.Captures) >= MaxPast {
		all, err := pages(func(after string) ([]Capture, string, error) {
			page, err := c.Captures(ctx, item.ID, after)
			return page.Captures, page.Continuation, err
		})
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b Capture) int { return b.CapturedAt.Compare(a.CapturedAt) })
		item.Captures = all
	}
	if len(item.Lineage) >= MaxPast {
		all, err := pages(func(after string) ([]Edge, string, error) {
			page, err := c.Edges(ctx, item.ID, after)
			return page.Lineage, page.Continuation, err
		})
		if err != nil {
			return err
		}
		item.Lineage = all
	}
	return nil
}

// pages reads a listing to its end. One that gives the continuation it was asked for never would have one.
func pages[T any](read func(after string) (page []T, next string, err error)) (all []T, err error) {
	for after := ""; ; {
		page, next, err := read(after)
		all = append(all, page...)
		switch {
		case err != nil || next == "":
			return all, err
		case next == after:
			return all, fmt.Errorf("the server gives the same page again and again")
		}
		after = next
	}
}
