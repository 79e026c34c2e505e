package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// AddOptions say how sources are registered.
type AddOptions struct {
	Force      bool   // fetch and index them even if nothing changed
	Credential string // name of what lets in to them, if they are private
}

// AddURL registers one URL; a URL that cannot be registered is a *Problem that says why.
func (c *Client) AddURL(ctx context.Context, source string, o AddOptions) (Item, error) {
	var item Item
	err := c.call(ctx, http.MethodPost, "AddUrlDocument", nil, AddURLRequest{URL: source, Force: o.Force, Credential: o.Credential}, &item)
	return item, err
}

// AddURLs registers up to [MaxBatch] URLs and says of each what became of it, in order.
func (c *Client) AddURLs(ctx context.Context, sources []string, o AddOptions) (AddURLBatch, error) {
	return c.addBatch(ctx, "AddUrlDocument", AddURLRequest{URLs: sources, Force: o.Force, Credential: o.Credential}, len(sources))
}

// AddFile registers one file; a path that cannot be registered is a *Problem that says why.
func (c *Client) AddFile(ctx context.Context, path string, o AddOptions) (Item, error) {
	var item Item
	err := c.call(ctx, http.MethodPost, "AddFileDocument", nil, AddFileRequest{Path: path, Force: o.Force, Credential: o.Credential}, &item)
	return item, err
}

// AddFiles registers up to [MaxBatch] files and says of each what became of it, in order.
func (c *Client) AddFiles(ctx context.Context, paths []string, o AddOptions) (AddURLBatch, error) {
	return c.addBatch(ctx, "AddFileDocument", AddFileRequest{Paths: paths, Force: o.Force, Credential: o.Credential}, len(paths))
}

// addBatch holds the server to one answer for each source, so that callers may pair them by
// position.
func (c *Client) addBatch(ctx context.Context, route string, req any, want int) (AddURLBatch, error) {
	var batch AddURLBatch
	err := c.call(ctx, http.MethodPost, route, nil, req, &batch)
	if err == nil && len(batch.Items) != want {
		err = fmt.Errorf("%s answered %d of %d sources", c.server, len(batch.Items), want)
	}
	return batch, err
}

// Reindex has one item checked now, or with Force fetched and indexed anew.
func (c *Client) Reindex(ctx context.Context, req ReindexRequest) (Item, error) {
	var item Item
	err := c.call(ctx, http.MethodPost, "ReindexItem", nil, req, &item)
	return item, err
}

// Search answers a query. It is posted, so that what people look for stays out of access logs.
func (c *Client) Search(ctx context.Context, req SearchRequest) (SearchResponse, error) {
	var res SearchResponse
	err := c.call(ctx, http.MethodPost, "Search", nil, req, &res)
	return res, err
}

// Status reads the counts of one host, or of all when host is empty.
func (c *Client) Status(ctx context.Context, host string) (SearchStatus, error) {
	var st SearchStatus
	err := c.call(ctx, http.MethodGet, "SearchStatus", values("host", host), nil, &st)
	return st, err
}

// Items reads one page of a listing.
func (c *Client) Items(ctx context.Context, q ItemQuery) (ItemPage, error) {
	v := values("host", q.Host, "status", string(q.Status), "continuation", q.Continuation)
	if q.Top > 0 {
		v.Set("top", strconv.Itoa(q.Top))
	}
	var page ItemPage
	err := c.call(ctx, http.MethodGet, "items", v, nil, &page)
	return page, err
}

// Pages reads a listing page by page and stops at the first error. A server that answers with
// the continuation it was asked for is an error: following it would never end.
func (c *Client) Pages(ctx context.Context, q ItemQuery) iter.Seq2[ItemPage, error] {
	return func(yield func(ItemPage, error) bool) {
		for {
			page, err := c.Items(ctx, q)
			if err == nil && page.Continuation != "" && page.Continuation == q.Continuation {
				err = fmt.Errorf("%s gives the same page again and again", c.server)
			}
			if !yield(page, err) || err != nil || page.Continuation == "" {
				return
			}
			q.Continuation = page.Continuation
		}
	}
}

// Item reads one item with its past.
func (c *Client) Item(ctx context.Context, id string) (ItemDetail, error) {
	var item ItemDetail
	err := c.call(ctx, http.MethodGet, "items/"+url.PathEscape(id), nil, nil, &item)
	return item, err
}

// Capture reads the bytes of a capture as they were fetched, and makes sure that they are those that
// the hexadecimal digest names.
func (c *Client) Capture(ctx context.Context, id, digest string) ([]byte, error) {
	req, err := c.request(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), values("raw", "true"), nil)
	if err != nil {
		return nil, err
	}
	body, err := c.send(req, MaxCaptureBytes)
	if sum := sha256.Sum256(body); err == nil && hex.EncodeToString(sum[:]) != digest {
		err = fmt.Errorf("%s answered other bytes than those of capture %s", c.server, digest)
	}
	return body, err
}

// DeleteItem has an item taken out of the index and the registry, which takes seconds; until then
// it is found, with RemoveRequested.
func (c *Client) DeleteItem(ctx context.Context, id string) (Item, error) {
	var item Item
	err := c.call(ctx, http.MethodDelete, "items/"+url.PathEscape(id), nil, nil, &item)
	return item, err
}

// Health asks whether the app can work. An app that cannot is a *Problem, or a Health whose
// Status is not "ok".
func (c *Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.call(ctx, http.MethodGet, "health", nil, nil, &h)
	return h, err
}

// values makes a query of pairs of name and value, leaving out empty values.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}
