package web

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// maxProtected limits the number of hidden addresses.
const maxProtected = 1000

// protected returns the mail addresses that the page hides from programs, in the order of the text. In place of each
// address, the text has "[email protected]". The hashes cover the addresses themselves, so that a page has the same
// hash whether it hides an address or shows it.
func protected(c maincontent.Content) (addresses []string) {
	c.Walk(func(n *html.Node) bool {
		code := dom.Attr(n, "data-cfemail")
		if code != "" && len(addresses) < maxProtected {
			addresses = append(addresses, noise.Unprotect(code))
		}
		return code == ""
	})
	return addresses
}
