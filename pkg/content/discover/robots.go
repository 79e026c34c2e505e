package discover

import (
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
)

// Robots returns the sitemaps that a robots.txt lists. The standard asks for absolute addresses. A relative one is
// resolved against base, the address of the robots.txt. One that begins with the name of a host lacks its scheme.
func Robots(body []byte, base string) Found {
	rules := robots.Parse(body)
	c := newCollector(MapIndex, base, robots.MaxSitemaps)
	scheme, _, _ := strings.Cut(base, ":")
	for _, ref := range rules.Sitemaps() {
		c.Entries++
		if bareHost.MatchString(ref) {
			ref = scheme + "://" + ref
		}
		c.sitemap(ref, time.Time{}, 0)
	}
	return c.Found
}

// bareHost matches an address without a scheme: the name of a host, and a path.
var bareHost = regexp.MustCompile(`^[\pL\pN][\pL\pN-]*(\.[\pL\pN-]+)*\.\pL{2,}(:\d+)?/`)
