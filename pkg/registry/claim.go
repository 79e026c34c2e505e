package registry

import "github.com/tidemark/tidemark/pkg/identity/source"

// Claim is what checks have found out about a page's claim that another address is its canonical one.
type Claim struct {
	// Named is the address that the last check's text named, if it may be true; empty if the page named none, or one
	// with other content.
	Named string `json:"named,omitempty"`
	// Header states that the page names the address in a header, not in its text.
	Header bool `json:"header,omitempty"`
	// Of, Own and Other identify the two texts that were compared: that of the item which stands for the page, and the
	// content hashes. Share is the share of the shorter text that is also in the other, 0 to 1.
	Of    source.ID `json:"of,omitempty"`
	Own   string    `json:"own,omitempty"`
	Other string    `json:"other,omitempty"`
	Share float64   `json:"share,omitempty"`
	// Followed states that AliasOf is due to the claim. Doubted states that the last check's text contradicted it.
	Followed bool `json:"followed,omitempty"`
	Doubted  bool `json:"doubted,omitempty"`
	// Refused is the address that the page names although its content is another.
	Refused string `json:"refused,omitempty"`
}

// Compared reports whether the claim has the result for two items with their present texts.
func (c *Claim) Compared(it, of *Item) bool {
	return c.Of == of.ID && c.Own == it.ContentHash && c.Other == of.ContentHash
}
