package fetch

import "net/http"

// Transport returns a transport with the same guard, for clients that make their own requests, such as the SDK of a
// storage service. The transport checks the URL of each request as [Client.Get] does, and the address of each
// connection at dial. Errors are Invalid, Blocked and Unavailable, as for Get. The transport neither follows
// redirects nor decodes bodies. The caller must bound time and size.
func (c *Client) Transport() http.RoundTripper { return guarded{c} }

type guarded struct{ c *Client }

// RoundTrip implements [http.RoundTripper].
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL // a copy, because a RoundTripper must not change its request
	if err := g.c.guard.admit(&u); err != nil {
		return nil, err
	}
	res, err := g.c.transportTo(&u).RoundTrip(r)
	if err != nil {
		return nil, classify(err)
	}
	return res, nil
}
