package field

import (
	"cmp"
	"net/url"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"
)

// Page is a page of which fields are read: a web page or JSON. It is not safe for concurrent use.
type Page struct {
	Unread jsonld.Unread // what of the data that the page declares could not be read

	root    *html.Node     // of a web page
	json    *jsonpath.Node // of JSON
	address *url.URL
	locale  string

	sets   map[Source][]*Item
	metas  []meta
	titles []string        // what the page calls itself: its title, its headings
	shown  []shownAmount   // amounts that it shows; nil until they are needed
	struck map[string]bool // classes that its style sheets strike out; nil until they are needed
	free   bool            // it shows the word for free
	same   []string        // addresses of the page: its own and the canonical one

	product, article func() []Result // see Product and Article
}

// meta is a meta element with a property.
type meta struct{ name, content string }

// Bounds of a page: its meta elements, and the bytes of a name.
const (
	maxMetas = 500
	longName = 300
)

// NewPage returns a web page with its JSON-LD and the address under which it was fetched.
func NewPage(root *html.Node, data jsonld.Data, address string) *Page {
	p := &Page{root: root, address: parseAddress(address)}
	p.same = []string{pageKey(p.address)}
	sets := readItems(root, data)
	p.Unread = sets.Unread
	p.sets = map[Source][]*Item{JSONLD: sets.JSONLD, Microdata: sets.Microdata, RDFa: sets.RDFa}
	lang := ""
	for n := range root.Descendants() {
		switch {
		case n.Type == html.ElementNode:
			p.readElement(n, &lang)
		case n.Type == html.TextNode && len(n.Data) < maxText:
			p.free = p.free || free.MatchString(strings.TrimSpace(n.Data))
		}
	}
	p.locale = localeOf(lang, p.address.Hostname())
	p.product, p.article = sync.OnceValue(p.readProduct), sync.OnceValue(p.readArticle)
	return p
}

// NewJSON returns a page that is JSON.
func NewJSON(root *jsonpath.Node, address string) *Page {
	p := &Page{json: root, address: parseAddress(address)}
	p.locale = localeOf("", p.address.Hostname())
	p.product, p.article = func() []Result { return nil }, func() []Result { return nil }
	return p
}

func parseAddress(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// readElement reads what an element says of the page as a whole.
func (p *Page) readElement(n *html.Node, lang *string) {
	switch n.DataAtom {
	case atom.Html:
		*lang = strings.TrimSpace(dom.Attr(n, "lang"))
	case atom.Title, atom.H1:
		if len(p.titles) < 10 {
			p.titles = append(p.titles, words.Clip(itemText(n, true), longName))
		}
	case atom.Link:
		if dom.HasWord(dom.Attr(n, "rel"), "canonical") {
			if u := source.Resolve(p.address, dom.Attr(n, "href")); u != nil && u.Host == p.address.Host {
				p.same = append(p.same, pageKey(u))
			}
		}
	case atom.Meta:
		p.readMeta(n, lang)
	}
}

func (p *Page) readMeta(n *html.Node, lang *string) {
	name := dom.Attr(n, "property")
	name = cmp.Or(name, dom.Attr(n, "name"))
	name = strings.ToLower(strings.TrimSpace(name))
	if strings.EqualFold(dom.Attr(n, "http-equiv"), "content-language") && *lang == "" {
		*lang = strings.TrimSpace(dom.Attr(n, "content"))
	}
	if name == "" || len(name) > longName || len(p.metas) >= maxMetas {
		return
	}
	content := words.Clip(strings.TrimSpace(dom.Attr(n, "content")), maxText)
	p.metas = append(p.metas, meta{name, content})
	if name == "og:title" {
		p.titles = append(p.titles, words.Clip(content, longName))
	}
}

// meta returns the first content of a property that is not empty, and whether the page has the property.
func (p *Page) meta(names ...string) (content, name string, has bool) {
	for _, name := range names {
		for _, m := range p.metas {
			if m.name == name {
				if has = true; m.content != "" {
					return m.content, name, true
				}
			}
		}
	}
	return "", names[0], has
}

// pageKey returns what two addresses of one page have in common: host and path, without www and a slash at the end.
func pageKey(u *url.URL) string {
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") + strings.TrimRight(u.Path, "/")
}

// genericDomains are domains of countries that are used everywhere.
const genericDomains = " ac ai am at.co be.co cc cd co eu fm gg im io is.gd la ly me nu sh st tk to tv ws xyz "

// localeOf returns the locale of a page: its language, with the region of its domain if it names none.
func localeOf(lang, host string) string {
	tag, err := language.Parse(lang)
	if err != nil || len(lang) > 35 {
		tag = language.Und
	}
	region, sure := tag.Region()
	if sure == language.Exact {
		return tag.String()
	}
	top := host[strings.LastIndexByte(host, '.')+1:]
	if top == "uk" {
		top = "gb"
	}
	var ok error
	if region, ok = language.ParseRegion(top); len(top) != 2 || ok != nil || !region.IsCountry() ||
		strings.Contains(genericDomains, " "+top+" ") {
		if tag == language.Und {
			return ""
		}
		return tag.String()
	}
	base, sure := tag.Base()
	if tag == language.Und || sure == language.No {
		made, err := language.Compose(region)
		if err != nil {
			return ""
		}
		base, _ = made.Base()
	}
	made, err := language.Compose(base, region)
	if err != nil {
		return tag.String()
	}
	return made.String()
}
