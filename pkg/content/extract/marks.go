package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// marks are what a page says that it is, to machines.
type marks struct {
	article bool // one article, by OpenGraph
	thread  bool // a discussion: its posts are the content
	list    bool // an archive or a shelf: a list of other pages
	typed   int  // articles described in JSON-LD; several are a list of them
}

// isArticle reports whether the page says that it is one article.
func (m *marks) isArticle() bool {
	const most = 2 // a page may be a WebPage's Article and a BlogPosting
	return !m.thread && !m.list && m.typed <= most && (m.article || m.typed > 0)
}

// readHead reads the marks in the head of a page.
func (m *marks) readHead(root *html.Node) {
	top := dom.Child(root, atom.Html)
	if top == nil {
		return
	}
	head := dom.Child(top, atom.Head)
	if head == nil {
		return
	}
	for n := head.FirstChild; n != nil; n = n.NextSibling {
		switch n.DataAtom {
		case atom.Meta:
			m.readMeta(n)
		case atom.Script:
			m.readScript(n)
		}
	}
}

// readBody reads the classes by which common programs tell what they made.
func (m *marks) readBody(body *html.Node) {
	for class := range strings.FieldsSeq(dom.Attr(body, "class")) {
		switch strings.ToLower(class) {
		case "archive", "category", "search-results", "template-collection", "catalog-category-view":
			m.list = true
		case "single-post", "article-page", "node-type-article":
			m.article = true
		case "section-viewtopic", "single-topic", "comments-page", "question-page", "showthread", "page-topic":
			m.thread = true
		}
	}
	if strings.HasPrefix(dom.Attr(body, "data-template"), "thread_view") ||
		dom.Attr(body, "data-pagecontroller") == "topic" {
		m.thread = true
	}
}

func (m *marks) readMeta(n *html.Node) {
	switch strings.ToLower(dom.Attr(n, "property")) {
	case "og:type":
		m.article = m.article || strings.EqualFold(strings.TrimSpace(dom.Attr(n, "content")), "article")
	case "article:published_time":
		m.article = true
	}
}

// readScript reads the types that JSON-LD names, without taking the rest apart.
func (m *marks) readScript(n *html.Node) {
	if !strings.EqualFold(strings.TrimSpace(dom.Attr(n, "type")), "application/ld+json") || n.FirstChild == nil {
		return
	}
	const key = `"@type"`
	text := n.FirstChild.Data
	for at := strings.Index(text, key); at >= 0; at = strings.Index(text, key) {
		text = strings.TrimLeft(text[at+len(key):], " \t\r\n:[")
		name, _, _ := strings.Cut(strings.TrimPrefix(text, `"`), `"`)
		m.readType(name)
	}
}

func (m *marks) readType(name string) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	switch {
	case name == "DiscussionForumPosting", name == "QAPage":
		m.thread = true
	case name == "CollectionPage", name == "SearchResultsPage":
		m.list = true
	case name == "BlogPosting", name == "Report", strings.HasSuffix(name, "Article") && len(name) < 40:
		m.typed++
	}
}
