package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/robots"
)

const (
	// robotsBytes is a little more than robots.MaxBody, so that the text is not cut here but in package robots, which
	// cuts at the end of a line.
	robotsBytes = 512 << 10
	// robotsRedirects is the number of redirects that a crawler must follow for robots.txt (RFC 9309 §2.3.1.2),
	// whatever the configuration.
	robotsRedirects = 5
)

// RobotsRequest describes a request for the robots.txt of a site.
type RobotsRequest struct {
	// Origin is any absolute URL of the site.
	Origin string
	// ETag and LastModified are the validators of the cached copy, or empty.
	ETag, LastModified string
	// Gate is called before a redirect is followed, as in a [Request]. The caller uses it to keep the pace of the
	// target's host.
	Gate func(ctx context.Context, target string) error
}

// Robots requests the robots.txt of a site and returns the reply for [robots.Decide]. If the site does not answer,
// that is a Reply, too. Errors: Invalid or Blocked if the origin must not be requested; Unavailable if ctx is done;
// an error of Gate.
func (c *Client) Robots(ctx context.Context, r RobotsRequest) (robots.Reply, error) {
	u, err := c.guard.target(r.Origin)
	if err != nil {
		return robots.Reply{}, err
	}
	u.Path, u.RawPath, u.RawQuery, u.ForceQuery = "/robots.txt", "", "", false
	x := exchange{c: c, limit: limit{bytes: robotsBytes, cut: true}, redirects: robotsRedirects}
	x.req = Request{URL: u.String(), ETag: r.ETag, LastModified: r.LastModified}
	var refused error // an error of the gate
	if r.Gate != nil {
		x.req.Gate = func(ctx context.Context, target string) error {
			refused = r.Gate(ctx, target)
			return refused
		}
	}
	err = x.run(ctx)
	if err == nil { // whatever its type is, a robots.txt is text
		x.out.Body, x.out.Encoding, err = unforgotten(x.out.Body, x.out.Encoding, x.limit)
	}
	switch {
	case ctx.Err() != nil:
		return robots.Reply{}, fault.New(fault.Unavailable, "robots.txt: %w", context.Cause(ctx))
	case refused != nil:
		return robots.Reply{}, fmt.Errorf("robots.txt: %w", refused)
	case errors.Is(err, errRedirects):
		return robots.Reply{TooManyRedirects: true, Problem: err.Error()}, nil
	case err != nil:
		reply := robots.Reply{Failed: true, Problem: err.Error()}
		if un := x.out.Unreached(err); un != nil {
			reply.Unreached, reply.Problem = un.Of, un.Error()
		}
		return reply, nil
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
