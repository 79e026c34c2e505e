package discover

import (
	"github.com/tidemark/tidemark/pkg/fault"
)

// Sitemap reads a sitemap, an index of sitemaps, a list of addresses or a feed, compressed by gzip
// up to twice or not: the body decides, whatever it was called. base is the address it came from
// in the end.
//
// The error is Invalid when the body is none of these (such as a web page) or declares entities,
// and says so; it is TooLarge when elements nest too deep. Anything less is in the result: what
// could be read before a bound or a mistake, and Truncated.
func Sitemap(body []byte, base string, o Bounds) (Found, error) {
	return Found{}, fault.New(fault.Internal, "not yet")
}
