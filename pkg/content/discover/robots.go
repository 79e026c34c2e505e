package discover

import "github.com/tidemark/tidemark/pkg/policy/robots"

// Robots returns the sitemaps that a robots.txt lists.
func Robots(body []byte) (f Found) {
	for _, address := range robots.Parse(body).Sitemaps() {
		f.Maps = append(f.Maps, Link{URL: address})
	}
	return f
}
