package api

import (
	"context"
	"net/http"
	"net/url"
)

// ChunkList are the chunks of an item that the index was last given, in the order of its text.
type ChunkList struct {
	Chunks []ChunkInfo `json:"chunks"`
}

// ChunkInfo is what is known of a chunk without its text (seed 002 §6).
type ChunkInfo struct {
	ChunkUID    string `json:"chunkUid"`
	VirtualPath string `json:"virtualPath"`
	Key         string `json:"key"` // by which it is found in the index
	Kind        string `json:"kind"`
	Heading     string `json:"heading,omitempty"`
	Name        string `json:"name,omitempty"`
	Tokens      int    `json:"tokens"`
	Start       int    `json:"start"` // of the document's text, in UTF-16 code units
	End         int    `json:"end"`
	TextHash    string `json:"textHash"`
}

// Chunks reads the chunks of an item. An item that the index was given nothing of has none.
func (c *Client) Chunks(ctx context.Context, id string) (ChunkList, error) {
	var list ChunkList
	err := c.call(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/chunks", nil, nil, &list)
	return list, err
}

// CaptureText reads the visible text of a capture.
func (c *Client) CaptureText(ctx context.Context, id, digest string) (string, error) {
	req, err := c.request(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), nil, nil)
	if err != nil {
		return "", err
	}
	body, err := c.send(req, MaxAnswerBytes)
	return string(body), err
}

// ImageList are the images that the index shows of an item, in page order.
type ImageList struct {
	Images []Image `json:"images"`
}

// Images reads the images of an item. An item that the index holds nothing of has none.
func (c *Client) Images(ctx context.Context, id string) (ImageList, error) {
	var list ImageList
	err := c.call(ctx, http.MethodGet, "items/"+url.PathEscape(id)+"/images", nil, nil, &list)
	return list, err
}
