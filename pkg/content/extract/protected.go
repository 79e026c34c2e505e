package extract

import (
	"encoding/hex"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"

	"golang.org/x/net/html"
)

// protection is what a widely used proxy puts in place of mail addresses that scripts show again, with a
// key that is another on each request.
const protection = "[email protected]"

// maxProtected bounds the addresses that are read.
const maxProtected = 1000

// protected lists the mail addresses that the content hides from programs, in page order. The text has
// [protection] for each, and only hashes cover them: a page that hides an address has no other content than
// one that shows it.
func protected(c content) (addresses []string) {
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if c.cut.skips(n) || len(addresses) == maxProtected {
				return
			}
			if code := dom.Attr(n, "data-cfemail"); code != "" {
				addresses = append(addresses, unprotect(code))
				return
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	for _, root := range c.roots {
		for child := root.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	return addresses
}

// unprotect reads an address: in hexadecimal, a key and each byte of the address xor the key. What is none stays
// [protection].
func unprotect(code string) string {
	const longest = 2 * 255
	b, err := hex.DecodeString(code[:min(len(code), longest)])
	if err != nil || len(b) < 2 {
		return protection
	}
	for i := range b[1:] {
		if b[i+1] ^= b[0]; b[i+1] <= ' ' || b[i+1] >= 0x7f {
			return protection
		}
	}
	if address := string(b[1:]); strings.Contains(address, "@") {
		return address
	}
	return protection
}
