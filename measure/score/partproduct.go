package main

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// partAddress is the address of each page.
const partAddress = "https://page.example/"

// partPage is a page as the product reads it.
type partPage struct {
	body []byte
	root *html.Node
}

// What a check says of a watched part: nothing, if it reads a text of the part.
const (
	saysEmpty  = "empty"
	saysBroken = "broken"
)

// choosePart makes a selector as a press does, once the list of elements is shown.
func choosePart(p partPage, n *html.Node, earlier func() []partPage) string {
	way, _ := pick.Choose(p.root, n, func(yield func(*html.Node) bool) {
		for _, e := range earlier() {
			if !yield(e.root) {
				return
			}
		}
	})
	return way.Selector
}

// offered returns the element that the product offers to choose for one on the page: the element itself, or one in it
// or around it that shows the same. It returns nil if there is none.
func offered(p partPage, n *html.Node) *html.Node {
	page := pick.Read(p.root)
	for _, l := range page.Lines {
		for _, e := range append([]pick.Element{l.Element}, l.Parts...) {
			if !within(e.Node, n, nil) && !within(n, e.Node, nil) {
				continue
			}
			for up := e.Node; up != nil; up = page.Larger(up) {
				if isSame(up, n) {
					return up
				}
				if !within(up, n, nil) {
					break
				}
			}
		}
	}
	return nil
}

// isSame reports whether two elements of a page show the same thing.
func isSame(a, b *html.Node) bool {
	return a == b || (within(a, b, nil) || within(b, a, nil)) && shown(a) == shown(b)
}

// findPart returns what a watch reads of a page.
func findPart(p partPage, selector string) []*html.Node {
	found, err := pick.Find(p.root, selector)
	if err != nil {
		return nil
	}
	return found
}

// judge returns what a check says of a part, when it has read the page before and after some edits.
func judge(before, after partPage, selector string) string {
	read := func(p partPage) (out part.Part) {
		const contentType = "text/html; charset=utf-8"
		doc, err := web.Extract(p.body, contentType, partAddress, extract.Limits{})
		if err != nil {
			return out
		}
		return part.NewReader(watch.Spec{Include: []string{selector}}).Read(doc, p.body, contentType, partAddress)
	}
	was, is := read(before), read(after)
	switch {
	case watch.Lost("", is.Elements, is.Letters, was.Letters) == "":
		return ""
	case is.Rebuilt(&was) == "":
		return saysEmpty
	}
	return saysBroken
}

// probe is an attribute by which an element is found again when its page has been written and read. It is taken away
// before anything else reads the page.
const probe = "data-x-probe"

// readPart writes a page and reads it as the product does. It returns the element of the page that n has become; nil
// if n is nil, or if reading makes another page of it.
func readPart(root, n *html.Node) (p partPage, read *html.Node, ok bool) {
	if n != nil {
		n.Attr = append(n.Attr, html.Attribute{Key: probe})
	}
	var b bytes.Buffer
	if err := html.Render(&b, root); err != nil {
		return p, nil, false
	}
	marked := b.Bytes()
	p.body = bytes.Replace(marked, []byte(" "+probe+`=""`), nil, 1)
	tree, _, err := web.SelectorTree(marked, "text/html; charset=utf-8", "https://page.example/", extract.Limits{})
	if err != nil || tree == nil {
		return p, nil, false
	}
	p.root = tree
	if n == nil {
		return p, nil, true
	}
	n.Attr = n.Attr[:len(n.Attr)-1]
	for c := range tree.Descendants() {
		if i := slices.IndexFunc(c.Attr, func(a html.Attribute) bool { return a.Key == probe }); i >= 0 {
			c.Attr = slices.Delete(c.Attr, i, i+1)
			return p, c, shown(c) == shown(n)
		}
	}
	return p, nil, false
}
