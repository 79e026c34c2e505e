package maincontent

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// pageType is the type that a page declares for itself.
type pageType struct {
	article bool // OpenGraph declares one article
	thread  bool // the page is a discussion: its posts are the content
	list    bool // the page is a list of other pages, such as an archive or a shelf
	typed   int  // number of articles that JSON-LD describes; a list has several
}

// isArticle reports whether the page declares itself one article.
func (t *pageType) isArticle() bool {
	const most = 2 // one article may be described twice, as an Article and as a BlogPosting
	return !t.thread && !t.list && t.typed <= most && (t.article || t.typed > 0)
}

// readHead reads the declarations in the head of a page.
func (t *pageType) readHead(root *html.Node) {
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
			t.readMeta(n)
		case atom.Script:
			t.readScript(n)
		}
	}
}

// readBody reads the classes by which common programs declare the type of a page.
func (t *pageType) readBody(body *html.Node) {
	for class := range strings.FieldsSeq(dom.Attr(body, "class")) {
		switch strings.ToLower(class) {
		case "archive", "category", "search-results", "template-collection", "catalog-category-view":
			t.list = true
		case "single-post", "article-page", "node-type-article":
			t.article = true
		case "section-viewtopic", "single-topic", "comments-page", "question-page", "showthread", "page-topic":
			t.thread = true
		}
	}
	if strings.HasPrefix(dom.Attr(body, "data-template"), "thread_view") ||
		dom.Attr(body, "data-pagecontroller") == "topic" {
		t.thread = true
	}
}

func (t *pageType) readMeta(n *html.Node) {
	switch strings.ToLower(dom.Attr(n, "property")) {
	case "og:type":
		t.article = t.article || strings.EqualFold(strings.TrimSpace(dom.Attr(n, "content")), "article")
	case "article:published_time":
		t.article = true
	}
}

// readScript reads the types in JSON-LD, without parsing it.
func (t *pageType) readScript(n *html.Node) {
	if !jsonld.IsScript(n) {
		return
	}
	const key = `"@type"`
	text := n.FirstChild.Data
	for at := strings.Index(text, key); at >= 0; at = strings.Index(text, key) {
		text = strings.TrimLeft(text[at+len(key):], " \t\r\n:[")
		name, _, _ := strings.Cut(strings.TrimPrefix(text, `"`), `"`)
		t.readType(name)
	}
}

func (t *pageType) readType(name string) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	switch {
	case name == "DiscussionForumPosting", name == "QAPage":
		t.thread = true
	case name == "CollectionPage", name == "SearchResultsPage":
		t.list = true
	case name == "BlogPosting", name == "Report", strings.HasSuffix(name, "Article") && len(name) < 40:
		t.typed++
	}
}
