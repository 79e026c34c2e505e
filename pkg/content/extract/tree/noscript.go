package tree

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// leastNoscript is the smallest size, in bytes, at which the markup in a page's noscript elements is read.
const leastNoscript = 1000

// ShowNoscript parses the content of the noscript elements below body into elements. The parser leaves this content
// as text. ShowNoscript does nothing if the content is short, and reports whether it changed the tree. It is meant
// for applications that show readers without scripts only their noscript elements.
func ShowNoscript(body *html.Node) bool {
	var found, read []*html.Node
	size := 0
	for n := range body.Descendants() {
		if markup, err := strconv.Atoi(dom.Attr(n, dom.NoscriptAttr)); err == nil {
			read = append(read, n)
			size += markup
		}
		if n.DataAtom == atom.Noscript && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
			found = append(found, n)
			size += len(n.FirstChild.Data)
		}
	}
	if size < leastNoscript {
		return false
	}
	for _, n := range read { // it is no longer beside what others read
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == dom.NoscriptAttr })
	}
	for _, n := range found {
		context := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		nodes, err := html.ParseFragment(strings.NewReader(n.FirstChild.Data), context)
		if err == nil { // otherwise the content is nested too deeply
			become(n, nodes)
		}
	}
	return true
}

// Bounds on the noscript elements of a page that [showNoscriptText] reads.
const (
	maxNoscripts    = 50
	maxNoscriptSize = 256 << 10 // bytes of all of them
)

// showNoscriptText turns noscript elements with text into elements that are read; see [dom.NoscriptAttr]. What only
// asks the reader to turn on scripts is left out, and so are images and counters of visits. It reports whether it
// changed an element.
func showNoscriptText(all []*html.Node, maxTags int) (changed bool) {
	left := maxNoscriptSize
	for _, n := range all[:min(len(all), maxNoscripts)] {
		text := dom.RawText(n)
		if left -= len(text); left < 0 || !hasText(text) || asksForScripts(text) {
			continue
		}
		if children := fragment(text, maxTags); len(children) > 0 {
			become(n, children)
			n.Attr = append(n.Attr, html.Attribute{Key: dom.NoscriptAttr, Val: strconv.Itoa(len(text))})
			changed = true
		}
	}
	return changed
}

// hasText reports whether markup has a letter or a digit outside its tags. It need not be exact.
func hasText(markup string) bool {
	for markup != "" {
		text, rest, _ := strings.Cut(markup, "<")
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return true
		}
		tag, after, _ := strings.Cut(rest, ">")
		switch name := string(tagName([]byte(tag))); name {
		case "style", "script", "iframe":
			_, after, _ = strings.Cut(after, "</"+name)
			_, after, _ = strings.Cut(after, ">")
		}
		markup = after
	}
	return false
}

// asksForScripts reports whether a text is about scripts, which readers with scripts do not see.
func asksForScripts(text string) bool {
	text = strings.ToLower(text)
	for _, word := range []string{"javascript", "java script", "enable script", "js is ", "browser", "navigateur",
		"navegador", "ブラウザ", "浏览器", "瀏覽器", "браузер", "المتصفح"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
