package discover

import "github.com/tidemark/tidemark/pkg/policy/robots"

// Robots finds the sitemaps that a robots.txt names.
func Robots(body []byte) (f Found) {
	for _, address := range robots.Parse(body).Sitemaps() {
		f.Maps = append(f.Maps, Link{URL: address})
	}
	return f
}
