package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// maxProtected bounds the number of hidden addresses.
const maxProtected = 1000

// protected returns the mail addresses that the content hides from programs, in page order. In place of each address,
// the text has "[email protected]". The hashes cover the addresses themselves, so that a page has the same hash
// whether it hides an address or shows it.
func protected(c maincontent.Content) (addresses []string) {
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if c.Skips(n) || len(addresses) == maxProtected {
				return
			}
			if code := dom.Attr(n, "data-cfemail"); code != "" {
				addresses = append(addresses, noise.Unprotect(code))
				return
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	for _, root := range c.Roots {
		for child := root.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	return addresses
}
