package maincontent

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// postNames are the classes that forums give to the text of a post, without its author and date.
var postNames = dom.WordSet(`
	postbody post-body post-text posttext post-content postcontent post-message messagetext message-body messagebody bbwrapper
	ipsrichtext ipsentry--post cpost-contentwrap usercontent cooked js-post-body usertext-body commtext
	comment-text comment-content comment-body commentthread-comment-text forum-post-content topic-post-content
	js-post--content-text
`)

// post is one contribution to a discussion.
type post struct {
	node    *html.Node
	inNamed bool // the post is inside an element that a class or id marks as chrome
}

// isPost reports whether an element has a class that forums give to posts.
func isPost(n *html.Node, names kinds) bool {
	switch dom.Attr(n, "itemprop") {
	case "text", "commentText":
		return !answersItself(n)
	}
	return names&ofPost != 0 || dom.Attr(n, "component") == "post/content"
}

// answersItself reports whether microdata says that n is part of a page whose author answers the questions, or
// explains how to do something. On a page with questions of readers (QAPage), answers are posts.
func answersItself(n *html.Node) (found bool) {
	for n = n.Parent; n != nil; n = n.Parent {
		for kind := range strings.FieldsSeq(dom.Attr(n, "itemtype")) {
			switch kind[strings.LastIndexByte(kind, '/')+1:] {
			case "QAPage", "Comment", "DiscussionForumPosting":
				return false
			case "Question", "Answer", "FAQPage", "HowTo", "HowToSection", "HowToStep", "HowToDirection", "HowToTip", "Recipe":
				found = true
			}
		}
	}
	return found
}

// thread returns the posts of a page that is entirely or mostly a discussion; nil for other pages. If the page does
// not declare itself a discussion, thread ignores posts inside an element that a class or id marks as comments: these
// may follow an article.
func (s *Survey) thread() []*html.Node {
	if s.pageType.isArticle() {
		return nil
	}
	var nodes []*html.Node
	whole, sum := s.measure(s.Body), 0
	for _, p := range s.posts {
		if p.inNamed && !s.pageType.thread {
			continue
		}
		nodes = append(nodes, p.node)
		sum += s.measure(p.node)
		if p.inNamed {
			whole += s.measure(p.node)
		}
	}
	if s.pageType.thread && sum*5 >= whole || len(nodes) >= 2 && sum*2 >= whole {
		return nodes
	}
	return nil
}
