package fetch

import "net/http"

// Transport is the same way out for clients that make their own requests, such as the SDK of a
// storage service. Each request is checked as the URL of a [Client.Get] is, and its connection at
// dial. Errors are Invalid, Blocked and Unavailable as there. Redirects are not followed, bodies
// are not decoded, and the caller bounds how long and how much it reads.
func (c *Client) Transport() http.RoundTripper { return guarded{c} }

type guarded struct{ c *Client }

// RoundTrip is for the client.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL // a RoundTripper does not change its request
	if err := g.c.guard.admit(&u); err != nil {
		return nil, err
	}
	res, err := g.c.transport.RoundTrip(r)
	if err != nil {
		return nil, classify(err)
	}
	return res, nil
}
