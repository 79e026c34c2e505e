package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// maxProtected limits the number of hidden addresses.
const maxProtected = 1000

// protected returns the mail addresses that the content hides from programs, in page order. The text has "[email
// protected]" in place of each address. The hashes cover the addresses themselves. So the hash of a page does not
// depend on whether the page hides or shows an address.
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
