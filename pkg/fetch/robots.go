package fetch

import (
	"context"
	"errors"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/robots"
)

const (
	// robotsBytes is a little more than robots.MaxBody, so that the cut falls there.
	robotsBytes = 512 << 10
	// robotsRedirects is how many RFC 9309 §2.3.1.2 wants followed, whatever the configuration.
	robotsRedirects = 5
)

// Robots asks a site for its robots.txt and returns what [robots.Decide] needs. origin is any
// absolute URL of the site; etag and lastModified are the validators of the copy that is kept, or
// empty. A site that does not answer is a Reply too. Errors are left for an origin that may not be
// asked at all (Invalid, Blocked) and for ctx being done (Unavailable).
func (c *Client) Robots(ctx context.Context, origin, etag, lastModified string) (robots.Reply, error) {
	u, err := c.guard.target(origin)
	if err != nil {
		return robots.Reply{}, err
	}
	u.Path, u.RawPath, u.RawQuery, u.ForceQuery = "/robots.txt", "", "", false
	x := exchange{c: c, limit: limit{bytes: robotsBytes, cut: true}, redirects: robotsRedirects}
	x.req = Request{URL: u.String(), ETag: etag, LastModified: lastModified}
	err = x.run(ctx)
	switch {
	case ctx.Err() != nil:
		return robots.Reply{}, fault.New(fault.Unavailable, "robots.txt: %w", context.Cause(ctx))
	case errors.Is(err, errRedirects):
		return robots.Reply{TooManyRedirects: true, Problem: err.Error()}, nil
	case err != nil:
		return robots.Reply{Failed: true, Problem: err.Error()}, nil
	case x.out.Encoding != "":
		return robots.Reply{Failed: true, Problem: "unknown content encoding " + x.out.Encoding}, nil
	}
	return x.out.robots(), nil
}

func (r Response) robots() robots.Reply {
	return robots.Reply{
		Status:       r.Status,
		Body:         r.Body,
		ETag:         r.Header.Get("ETag"),
		LastModified: r.Header.Get("Last-Modified"),
		CacheControl: strings.Join(r.Header.Values("Cache-Control"), ","),
		RetryAfter:   r.RetryAfter,
	}
}
