package discover

import (
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// Reasons for omitting a page to which another leads without a link. Most pages in an iframe are parts of a page, such
// as players and forms.
const (
	omitFrames       = "pages shown within others (iframe)"
	omitTranslations = "translations that nothing links to (link rel=alternate hreflang)"
)

// leading are the elements that show another page without a link.
var leading = matcher(func(n *html.Node) bool {
	switch n.Data {
	case "frame", "iframe":
		return has(n, "src")
	case "meta":
		return has(n, "http-equiv") && has(n, "content")
	case "link":
		return has(n, "rel") && has(n, "href")
	}
	return false
})

// lead collects the pages to which a page leads without a link: those of its frames, the one that follows it after a
// time, and the next and the previous one of a series. It takes those in an iframe if the page has no links: then they
// are its content. Others it counts, as it does translations that no link leads to. What only browsers without scripts
// see is passed over.
func (c *collector) lead(page *goquery.Selection) {
	shell := len(c.Links) == 0
	for _, s := range page.FindMatcher(leading).EachIter() {
		src, why := strings.TrimSpace(s.AttrOr("src", "")), ""
		switch s.Nodes[0].Data {
		case "iframe":
			if !shell {
				why = omitFrames
			}
		case "meta":
			src = refreshOf(s)
		case "link":
			src, why = related(s)
		}
		address, _, _ := strings.Cut(src, "#")
		if address == "" || foreignScheme(address) != "" || c.Truncated != "" {
			continue
		}
		if why == "" {
			c.page(address, time.Time{}, 0)
		} else if url, err := c.resolve(address); err == nil && (why == omitFrames || !c.seen["l"+url]) {
			c.omit(why, url)
		}
	}
}

// related returns the address that a link element names, if it is that of another page: the next or the previous one
// of a series, or a translation, which is not followed for the reason why. It returns "" for others.
func related(link *goquery.Selection) (address, why string) {
	rel := strings.Fields(strings.ToLower(link.AttrOr("rel", "")))
	switch {
	case slices.ContainsFunc(rel, func(r string) bool { return r == "next" || r == "prev" || r == "previous" }):
		return strings.TrimSpace(link.AttrOr("href", "")), ""
	case slices.Contains(rel, "alternate") && link.AttrOr("hreflang", "") != "":
		return strings.TrimSpace(link.AttrOr("href", "")), omitTranslations
	}
	return "", ""
}

// refreshOf returns the address that a meta element of the kind refresh names; "" for another one.
func refreshOf(s *goquery.Selection) string {
	if !strings.EqualFold(s.AttrOr("http-equiv", ""), "refresh") || s.Closest("noscript").Length() > 0 {
		return ""
	}
	target, _ := source.RefreshTarget(s.AttrOr("content", ""))
	return target
}

// matcher is a [goquery.Matcher] for the elements for which it returns true. On a large page, a compiled selector takes
// several times as long.
type matcher func(element *html.Node) bool

var _ goquery.Matcher = matcher(nil)

// The elements that say something about the page.
var (
	namedMeta = matcher(func(n *html.Node) bool { return n.Data == "meta" && has(n, "name") })
	titles    = matcher(func(n *html.Node) bool { return n.Data == "title" })
	headBase  = matcher(func(n *html.Node) bool {
		return n.Data == "base" && has(n, "href") && slices.ContainsFunc(slices.Collect(n.Ancestors()),
			func(above *html.Node) bool { return above.Type == html.ElementNode && above.Data == "head" })
	})
)

// has reports whether an element has an attribute.
func has(n *html.Node, attribute string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == attribute })
}

// Match reports whether a node matches.
func (m matcher) Match(n *html.Node) bool { return n.Type == html.ElementNode && m(n) }

// MatchAll returns what matches of a node and the nodes in it, in the order of the document.
func (m matcher) MatchAll(n *html.Node) (out []*html.Node) {
	if m.Match(n) {
		out = append(out, n)
	}
	for below := range n.Descendants() {
		if m.Match(below) {
			out = append(out, below)
		}
	}
	return out
}

// Filter returns those of the nodes that match.
func (m matcher) Filter(nodes []*html.Node) []*html.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *html.Node) bool { return !m.Match(n) })
}

// queryEncoding returns the encoding in which browsers write the queries of a page's links, which is that of the page
// (URL standard, "query state"): a search of a site in windows-1251 finds nothing for words in UTF-8. It returns nil
// for UTF-8, and where the page declares no encoding.
func queryEncoding(root *html.Node, contentType string) encoding.Encoding {
	_, params, _ := mime.ParseMediaType(contentType)
	label := params["charset"]
	if label == "" && root != nil {
		label = declaredIn(root)
	}
	switch enc, name := charset.Lookup(label); name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return nil
	default:
		return enc
	}
}

// declaredIn returns the encoding that the meta elements of a page declare; "" for none.
func declaredIn(root *html.Node) string {
	for _, m := range goquery.NewDocumentFromNode(root).FindMatcher(charsetMeta).EachIter() {
		if label := m.AttrOr("charset", ""); label != "" {
			return label
		}
		if strings.EqualFold(m.AttrOr("http-equiv", ""), "content-type") {
			_, params, _ := mime.ParseMediaType(m.AttrOr("content", ""))
			return params["charset"]
		}
	}
	return ""
}

var charsetMeta = matcher(func(n *html.Node) bool {
	return n.Data == "meta" && (has(n, "charset") || has(n, "http-equiv"))
})

// encodeQuery writes the letters of a link's query that are not ASCII in an encoding, as browsers do. A letter that the
// encoding lacks becomes a reference to it (package charset).
func encodeQuery(ref string, enc encoding.Encoding) string {
	address, query, asked := strings.Cut(ref, "?")
	if !asked || enc == nil {
		return ref
	}
	query, fragment, _ := strings.Cut(query, "#")
	var b strings.Builder
	b.WriteString(address + "?")
	encoder := enc.NewEncoder()
	for _, c := range query {
		written, err := encoder.String(string(c))
		if err != nil {
			written = string(c)
		}
		for _, one := range []byte(written) {
			if isNameByte(one) && one < 0x80 || one >= '0' && one <= '9' || c < 0x80 {
				b.WriteByte(one)
			} else {
				fmt.Fprintf(&b, "%%%02X", one)
			}
		}
	}
	if fragment != "" {
		b.WriteString("#" + fragment)
	}
	return b.String()
}
