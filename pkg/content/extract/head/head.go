// Package head reads the statements of a page about itself: its title, language and canonical address, its directives
// for robots, and its author and dates.
package head

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Head holds the declarations in the head of a page.
type Head struct {
	Base      *url.URL // base URL of relative addresses
	Title     string
	OGTitle   string
	Language  string // primary subtag in lower case, or empty
	Canonical string
	Robots    []string
	// Previews are the addresses in og:image, and PreviewTexts are the values of og:image:alt. Both are unchanged.
	Previews, PreviewTexts []string
}

// Read reads the html and head elements. It ignores a canonical link outside the head, because the users of a site
// may be able to insert one there.
func Read(root *html.Node, pageURL *url.URL) Head {
	h := Head{Base: pageURL}
	top := dom.Child(root, atom.Html)
	if top == nil { // Unreachable: the parser always makes html, head and body.
		return h
	}
	h.Language = extract.PrimaryLanguage(dom.Attr(top, "lang"))
	h.Language = cmp.Or(h.Language, extract.PrimaryLanguage(dom.Attr(top, "xml:lang")))
	elements := goquery.NewDocumentFromNode(top).ChildrenFiltered("head").Children()
	if href, found := elements.Filter("base[href]").Attr("href"); found {
		if base := source.Resolve(pageURL, href); base != nil {
			h.Base = base
		}
	}
	h.Title = dom.Fold(elements.Filter("title").First().Text())
	elements.Filter("meta").Each(func(_ int, m *goquery.Selection) { h.readMeta(m.Get(0)) })
	h.Canonical = canonical(elements.Filter("link[href]"), h.Base)
	return h
}

// readMeta reads one meta element.
func (h *Head) readMeta(n *html.Node) {
	content := dom.Attr(n, "content")
	switch {
	case strings.EqualFold(dom.Attr(n, "property"), "og:title") && h.OGTitle == "":
		h.OGTitle = dom.Fold(content)
	case strings.EqualFold(dom.Attr(n, "property"), "og:image"):
		h.Previews = append(h.Previews, content)
	case strings.EqualFold(dom.Attr(n, "property"), "og:image:alt"):
		h.PreviewTexts = append(h.PreviewTexts, content)
	case strings.EqualFold(dom.Attr(n, "http-equiv"), "content-language") && h.Language == "":
		h.Language = extract.PrimaryLanguage(content)
	}
	h.Robots = appendRobots(h.Robots, n)
}

// canonical returns the address on which all canonical links agree. If a page gives two addresses, canonical returns
// neither, because choosing one would remove the other from the index.
func canonical(links *goquery.Selection, base *url.URL) string {
	found := ""
	for _, n := range links.Nodes {
		if !dom.HasWord(dom.Attr(n, "rel"), "canonical") {
			continue
		}
		u := source.Resolve(base, dom.Attr(n, "href"))
		if u == nil || found != "" && found != u.String() {
			return ""
		}
		found = u.String()
	}
	return found
}

// Bounds on robots meta elements.
const (
	maxRobots      = 20
	maxRobotsBytes = 1000
)

// Robots returns the directives of meta elements, in the form that package robots parses.
func Robots(metas []*html.Node) (all []string) {
	for _, n := range metas {
		all = appendRobots(all, n)
	}
	return all
}

// RobotsOf returns the directives of the meta elements of a page that is not parsed otherwise. Those for readers
// without scripts do not count.
func RobotsOf(body []byte) (all []string) {
	z, noscript := html.NewTokenizer(bytes.NewReader(body)), false
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			t := z.Token()
			if t.DataAtom == atom.Noscript {
				noscript = kind != html.EndTagToken
			}
			if t.DataAtom == atom.Meta && !noscript {
				all = appendRobots(all, &html.Node{Attr: t.Attr})
			}
		}
	}
}

// appendRobots adds the directives of a meta element, if it has any. The name "robots" addresses every crawler. Any
// other name is that of a crawler only if the content consists of directives.
func appendRobots(all []string, n *html.Node) []string {
	name := strings.ToLower(strings.TrimSpace(dom.Attr(n, "name")))
	content := dom.Clip(dom.Attr(n, "content"), maxRobotsBytes)
	if name == "" || content == "" || len(all) == maxRobots {
		return all
	}
	if name == "robots" {
		return append(all, content)
	}
	if strings.ContainsAny(name, " :,") || len(name) > 50 || !isDirectives(content) {
		return all
	}
	return append(all, name+": "+content)
}

// isDirectives reports whether every comma-separated part is a robots directive.
func isDirectives(content string) bool {
	for part := range strings.SplitSeq(content, ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ":")
		switch name {
		case "all", "none", "index", "noindex", "follow", "nofollow", "noarchive", "nocache", "archive",
			"nosnippet", "noimageindex", "notranslate", "noodp", "noydir", "unavailable_after",
			"max-snippet", "max-image-preview", "max-video-preview":
		default:
			return false
		}
	}
	return true
}
