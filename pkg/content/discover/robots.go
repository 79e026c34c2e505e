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
	for _, line := range rules.Sitemaps() {
		for _, ref := range separate(escapedBlanks.ReplaceAllString(line, " ")) {
			c.Entries++
			if bareHost.MatchString(ref) {
				ref = scheme + "://" + ref
			}
			c.sitemap(ref, time.Time{}, 0)
		}
	}
	return c.Found
}

// escapedBlanks matches characters without width around an address, as package robots escapes them.
var escapedBlanks = regexp.MustCompile(`^(?:%E2%80%8[B-F]|%EF%BB%BF)+|(?:%E2%80%8[B-F]|%EF%BB%BF)+$`)

// bareHost matches an address without a scheme: the name of a host, and a path.
var bareHost = regexp.MustCompile(`^[\pL\pN][\pL\pN-]*(\.[\pL\pN-]+)*\.\pL{2,}(:\d+)?/`)
