package fetch

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
)

// Hop is one request of a browser, see [Client.Hop].
type Hop struct {
	Method string // GET, HEAD or POST
	// URL is absolute, as in a [Request].
	URL string
	// Header is what the browser sends. The client sets User-Agent and Accept-Encoding itself, and drops what belongs
	// to a connection.
	Header http.Header
	Body   []byte
	// Secret contains headers such as Authorization that take the place of the browser's.
	Secret http.Header
	// MaxBytes replaces the client's MaxBytes if it is positive.
	MaxBytes int64
}

// Hop sends one request of a browser, under the same guard and within the same bounds as [Client.Get]. It follows no
// redirect, because a browser does so itself, with a Hop for each. The body of the response is decoded. Errors: those
// of Get.
func (c *Client) Hop(ctx context.Context, h Hop) (Response, error) {
	u, err := c.guard.target(h.URL)
	if err != nil {
		return Response{}, err
	}
	x := exchange{c: c, browser: &h, limit: limit{bytes: c.cfg.MaxBytes}, first: origin(u)}
	x.req = Request{URL: h.URL, Secret: h.Secret, Head: h.Method == http.MethodHead}
	if h.MaxBytes > 0 {
		x.limit.bytes = min(h.MaxBytes, maxMaxBytes)
	}
	x.out.FinalURL = u.String()
	_, err = x.timed(ctx, u)
	return x.out, err
}

// connectionHeaders are set by the client, or belong to the connection between the browser and its server.
var connectionHeaders = []string{"User-Agent", "Accept-Encoding", "Host", "Connection", "Content-Length", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "If-None-Match",
	"If-Modified-Since"}

// addTo makes a request that of the browser.
func (h *Hop) addTo(r *http.Request) {
	for name, values := range h.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range connectionHeaders {
		delete(r.Header, name)
	}
	for name, values := range maps.Clone(r.Header) {
		for _, value := range values {
			if !isHeaderText(value) {
				delete(r.Header, name)
			}
		}
	}
	r.Method = h.Method
	if len(h.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(h.Body))
		r.ContentLength = int64(len(h.Body))
	}
}

// Public returns a client with the same configuration to which no host is exempt from the checks of address and port.
func (c *Client) Public() (*Client, error) {
	cfg := c.cfg
	cfg.AllowHosts = nil
	return New(cfg)
}

// UserAgent returns the User-Agent header, with the contact.
func (c *Client) UserAgent() string { return c.userAgent }
