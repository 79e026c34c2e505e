package sitepoll

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
)

// reading is what was parsed from a document.
type reading struct {
	discover.Found
	same   bool // the document is unchanged since the last poll
	digest string
}

// parse reads a fetched resource. Its errors are faults of the site. Their kind is Unavailable if a retry may help.
func parse(d doc, held document, page politeness.Resource, found *site.Site) (got reading, err error) {
	switch {
	case page.NotModified:
		return reading{same: true}, nil
	case d.Kind == docRobots && page.Missing():
		return reading{}, nil // a missing robots.txt lists no sitemaps
	case page.Refused() != nil:
		return got, page.Refused()
	}
	got.digest = fmt.Sprintf("%016x", xxhash.Sum64(page.Body))
	if got.same = got.digest == held.Body; got.same {
		return got, nil
	}
	if d.Kind == docRobots {
		got.Found = discover.Robots(page.Body, page.FinalURL)
		return got, nil
	}
	if d.Kind == docList {
		got.Found, err = listing(d, page, found)
		return got, err
	}
	got.Found, err = discover.Sitemap(page.Body, page.FinalURL, discover.Bounds{Alternates: found.Alternates,
		Charset: page.Charset()})
	return got, err
}

// listing reads a page that lists others, in the way in which the site file describes it.
func listing(d doc, page politeness.Resource, found *site.Site) (discover.Found, error) {
	var l site.Listing
	for _, one := range found.Listings {
		if one.URL.String() == d.From {
			l = one
		}
	}
	got, err := discover.Listing(page.Body, page.ContentType, page.FinalURL, l.Links, l.Next)
	got.Links = slices.DeleteFunc(got.Links, func(link discover.Link) bool { return link.URL == got.Next })
	return got, err
}

// unread says what was not read of a document. Of a page, links that lead to no page are no fault.
func (got reading) unread(d doc) []string {
	if d.Kind == docList && got.Truncated == "" && len(got.Links) > 0 {
		return nil
	}
	return got.Unread()
}

// bounded returns the first sitemaps of an index, up to the bound on remembered sitemaps. An index with more sitemaps
// is read again by each poll; see [step.links].
func bounded(maps []discover.Link) []discover.Link {
	for size, i := 0, 0; i < len(maps); i++ {
		text, _ := json.Marshal(maps[i]) // encoding a link cannot fail
		if size += len(text) + 1; size > maxMapsBytes {
			return maps[:i]
		}
	}
	return maps
}

func tooMany(n int) string {
	return fmt.Sprintf("more documents than are read in one poll; %d are passed over", n)
}
