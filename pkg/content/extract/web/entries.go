package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/data"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// ListSelector finds the entries of a list in the watched part of a document.
type ListSelector interface {
	Selector
	data.ValueSelector
	// Links returns the elements that are the entries' links, or hold them. The result named is false if no rule
	// names them.
	Links(root *html.Node) (found []*html.Node, named bool, err error)
	// ListPaths returns what finds the entries in JSON; nil if nothing names them.
	ListPaths() data.Chooser
}

// Entries returns the entries of a list: the links of a web page that the selector finds; without a rule for them,
// those of its watched part, or else of its content; the entries of a feed; and values of JSON. Of the links of the
// content, those to other pages of the same list are left out. Errors: those of the selector and of [Extract].
func Entries(body []byte, contentType, baseURL string, sel ListSelector) (out extract.Entries, err error) {
	p, mimeType, truncated, err := pageOf(body, contentType, baseURL, extract.Limits{})
	if err != nil {
		return out, err
	}
	if truncated {
		defer func() {
			out.Why = cmp.Or(out.Why, extract.OnlyBytes(p.limits.MaxBytes))
		}()
	}
	if IsHTML(mimeType) {
		return p.entries(sel)
	}
	p.cut = truncated
	text, _ := decode(p.body, p.contentType, false)
	ok := false
	if isJSON(mimeType) {
		out, ok, err = data.JSONEntries(jsonText(text), isJSONLines(mimeType), p.base, p.options(), sel.ListPaths())
	} else {
		out, ok = data.FeedEntries(string(text), p.base, p.options())
	}
	if err == nil && !ok {
		out.Why = "this is neither a web page, nor a feed, nor JSON that can be read: it has no entries"
	}
	return out, err
}

// anEntry is an entry of a page, with its link and what shows it.
type anEntry struct {
	extract.Entry
	holders []*html.Node
}

// entries reads the entries of a web page.
func (p page) entries(sel ListSelector) (out extract.Entries, err error) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			out, err = extract.Entries{Why: "the page cannot be parsed"}, nil
		}
	}()
	text, _ := decode(p.body, p.contentType, true)
	r := listReader{page: p, text: text, sel: sel}
	all, _, err := r.read()
	if err != nil || r.root == nil {
		out.Why = "the page cannot be parsed"
		return out, err
	}
	for i, e := range all {
		if i == extract.MaxEntries {
			out.More = len(all) - i
			break
		}
		out.All = append(out.All, e.Entry)
	}
	out.Rest = r.rest
	return out, nil
}

// listReader reads a page, and the links that are its entries.
type listReader struct {
	page
	text []byte
	sel  ListSelector
	root *html.Node // of the last reading
}

// read reads the page anew. It returns the entries, and the roots of the watched part.
func (r *listReader) read() (all []anEntry, roots []*html.Node, err error) {
	if r.root = treeOf(r.page, r.text); r.root == nil {
		return nil, nil, nil
	}
	named := true
	if roots, err = r.sel.Select(r.root); err != nil {
		return nil, nil, err
	}
	found, named, err := r.sel.Links(r.root)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case named:
	case r.sel.Narrow():
		found = roots
	default:
		found = r.contentLinks()
	}
	base := head.Read(r.root, r.base).Base
	all = entriesOf(linksIn(found), base, r.base, named || r.sel.Narrow())
	return all, roots, nil
}

// linksIn returns the links among elements and in them, each once.
func linksIn(found []*html.Node) (links []*html.Node) {
	seen := map[*html.Node]bool{}
	add := func(n *html.Node) {
		isLink := n.Type == html.ElementNode && (n.DataAtom == atom.A || n.DataAtom == atom.Area)
		if isLink && !seen[n] && dom.HasAttr(n, "href") {
			seen[n] = true
			links = append(links, n)
		}
	}
	for _, n := range found {
		add(n)
		for d := range n.Descendants() {
			add(d)
		}
	}
	return links
}

// linkSigns stand for the digits of the number of a link. They are no characters, as [beginSign].
const linkSigns = "\ufdd2\ufdd3\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb"

// contentLinks returns the links whose texts are content, and not navigation. It reads the page with a number in the
// text of each link, which is removed again.
func (r *listReader) contentLinks() (found []*html.Node) {
	links := linksIn([]*html.Node{r.root})
	texts := map[*html.Node]string{}
	content := assemble(r.page, r.root, jsonld.Of(r.root).Objects, func(s *maincontent.Survey) maincontent.Content {
		for i, link := range links {
			if n := firstText(link); n != nil && texts[n] == "" {
				texts[n] = n.Data
				n.Data = beginSign + signsOf(i) + endSign + n.Data
			}
		}
		return s.Zones()
	}).Text
	for n, text := range texts {
		n.Data = text
	}
	shown := map[string]bool{}
	for _, after := range strings.Split(content, beginSign)[1:] {
		if number, _, closed := strings.Cut(after, endSign); closed {
			shown[number] = true
		}
	}
	for i, link := range links {
		if shown[signsOf(i)] {
			found = append(found, link)
		}
	}
	return found
}

func signsOf(number int) (out string) {
	signs := []rune(linkSigns)
	for ; number > 0 || out == ""; number /= len(signs) {
		out = string(signs[number%len(signs)]) + out
	}
	return out
}

func firstText(n *html.Node) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && strings.TrimSpace(d.Data) != "" && !dom.IsHeadingSign(d.Parent) {
			return d
		}
	}
	return nil
}

// entriesOf returns the entries that links lead to. If they are not chosen by somebody, links to other pages of the
// list are not among them.
func entriesOf(links []*html.Node, base, own *url.URL, chosen bool) (all []anEntry) {
	at := map[string]int{}
	of := map[*html.Node]string{}
	titles := linkTitles{of: map[int][]linkTitle{}, entries: map[string]map[int]bool{}}
	if !chosen {
		links = ofArticles(links, base, own)
	}
	for _, n := range links {
		u, address := addressOf(n, base)
		if u == nil {
			continue
		}
		title := titleOfLink(n)
		if address != own.String() && (chosen || title != "" && !leadsOn(n, u, own, title)) {
			of[n] = address
			i, known := at[address]
			if !known {
				i = len(all)
				at[address] = i
				all = append(all, anEntry{Entry: extract.Entry{URL: address}})
			}
			all[i].holders = append(all[i].holders, n)
			titles.add(i, n, title)
		}
	}
	for i := range all {
		all[i].Title = titles.best(i)
	}
	holders(all, of)
	for i := range all {
		var texts []string
		for _, n := range all[i].holders {
			texts = append(texts, visible(n))
		}
		all[i].Text = dom.Clip(strings.Join(texts, " "), extract.MaxEntryText)
	}
	return all
}

// addressOf returns where a link leads, and the address of an entry there; nil if it leads to no page.
func addressOf(link *html.Node, base *url.URL) (u *url.URL, address string) {
	if u = source.Resolve(base, dom.Attr(link, "href")); u == nil {
		return nil, ""
	}
	u.Fragment, u.RawFragment = "", ""
	return u, source.WithoutSession(u.String())
}

// ofArticles leaves out the links to authors, tags and sources in articles that show one entry each: that of the links
// in the headings of the article. There must be several such articles, for one may be all of the page.
func ofArticles(links []*html.Node, base, own *url.URL) []*html.Node {
	headed := map[*html.Node]map[string]bool{} // the addresses of the links in the headings of each article
	for _, n := range links {
		article := ancestor(n, func(a atom.Atom) bool { return a == atom.Article })
		if u, address := addressOf(n, base); article != nil && u != nil && address != own.String() && isInHeading(n) {
			if headed[article] == nil {
				headed[article] = map[string]bool{}
			}
			headed[article][address] = true
		}
	}
	maps.DeleteFunc(headed, func(_ *html.Node, addresses map[string]bool) bool { return len(addresses) > 1 })
	if len(headed) < 2 {
		return links
	}
	return slices.DeleteFunc(slices.Clone(links), func(n *html.Node) bool {
		_, address := addressOf(n, base)
		one := headed[ancestor(n, func(a atom.Atom) bool { return a == atom.Article })]
		return one != nil && !one[address]
	})
}

// ancestor returns the innermost element of a kind around a node; nil if there is none.
func ancestor(n *html.Node, is func(atom.Atom) bool) *html.Node {
	for a := range n.Ancestors() {
		if is(a.DataAtom) {
			return a
		}
	}
	return nil
}

// linkTitles are the texts of the links to each entry.
type linkTitles struct {
	of      map[int][]linkTitle
	entries map[string]map[int]bool // those that have a text
}

type linkTitle struct {
	text    string
	heading bool
}

func (t *linkTitles) add(entry int, link *html.Node, text string) {
	t.of[entry] = append(t.of[entry], linkTitle{text, isInHeading(link)})
	if t.entries[text] == nil {
		t.entries[text] = map[int]bool{}
	}
	t.entries[text][entry] = true
}

// best returns the title of an entry: the text of a link in a heading, or else the longest that is not that of other
// entries, too, as "Read more" is, or else the longest. One of 200 bytes and more is a title only if there is no other.
func (t *linkTitles) best(entry int) string {
	rank := func(l linkTitle) (rank int) {
		for i, yes := range []bool{len(t.entries[l.text]) == 1, l.heading, len(l.text) < 200, l.text != ""} {
			if yes {
				rank |= 1 << i
			}
		}
		return rank
	}
	return slices.MaxFunc(t.of[entry], func(a, b linkTitle) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.text), len(b.text)))
	}).text
}

func isInHeading(n *html.Node) bool { return ancestor(n, dom.IsHeading) != nil }

// titleOfLink returns the text of a link, or what stands for it.
func titleOfLink(n *html.Node) string {
	title := visible(n)
	for d := range n.Descendants() {
		if title == "" && d.DataAtom == atom.Img {
			title = dom.Attr(d, "alt")
		}
	}
	for _, name := range []string{"aria-label", "title"} {
		title = cmp.Or(title, dom.Attr(n, name))
	}
	return dom.Clip(dom.Fold(title), extract.MaxLinkText)
}

// visible returns the text of an element, as one line.
func visible(n *html.Node) string {
	var f dom.Folder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			f.Write(n.Data)
		case n.Type == html.ElementNode && (dom.Unseen(n) || n.DataAtom == atom.Script || n.DataAtom == atom.Style):
		default:
			if n.Type == html.ElementNode && (dom.IsBlock(n.DataAtom) || n.DataAtom == atom.Td || n.DataAtom == atom.Br) {
				f.Border()
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
			f.Border()
		}
	}
	walk(n)
	return dom.Fold(f.Peek())
}

// turning are the parameters of addresses that turn the pages of a list, or sort it.
var turning = []string{"page", "p", "paged", "pg", "start", "offset", "from", "limit", "per_page", "sort", "order",
	"orderby", "dir", "view"}

// leadsOn reports whether a link leads to another page of the same list.
func leadsOn(n *html.Node, u, own *url.URL, title string) bool {
	if rel := strings.ToLower(dom.Attr(n, "rel")); dom.HasWord(rel, "next") || dom.HasWord(rel, "prev") {
		return true
	}
	if u.Host != own.Host {
		return false
	}
	short := len([]rune(title)) <= 3 || !strings.ContainsFunc(title, func(r rune) bool { return r < '0' || r > '9' })
	_, after, found := strings.Cut(u.Path, "/page/")
	if found && short && !strings.Contains(strings.Trim(after, "/"), "/") {
		return true
	}
	if strings.TrimSuffix(u.Path, "/") != strings.TrimSuffix(own.Path, "/") {
		return false
	}
	was := own.Query()
	for name, values := range u.Query() {
		if !slices.Equal(was[name], values) && !slices.Contains(turning, strings.ToLower(name)) {
			return false
		}
	}
	return true
}
