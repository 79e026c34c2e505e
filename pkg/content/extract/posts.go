package extract

import (
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// postNames are the classes by which forums name what somebody wrote, without who and when.
var postNames = dom.WordSet(`
	postbody post-body post-text posttext post-content postcontent post-message messagetext message-body messagebody bbwrapper
	ipsrichtext ipsentry--post cpost-contentwrap usercontent cooked js-post-body usertext-body commtext
	comment-text comment-content comment-body commentthread-comment-text forum-post-content topic-post-content
	js-post--content-text
`)

// post is what somebody wrote in a discussion.
type post struct {
	node   *html.Node
	around bool // an element around it is named as something around the content
}

// isPost reports whether an element is a post by its name.
func isPost(n *html.Node) bool {
	switch dom.Attr(n, "itemprop") {
	case "text", "commentText":
		return true
	}
	return dom.HasName(postNames, dom.Attr(n, "class")) || dom.Attr(n, "component") == "post/content"
}

// thread is the posts of a page, if most of it is a discussion; else nil. Of a page that does not say so, posts in
// what is named as comments do not count: they may follow an article.
func (s *surveyed) thread() []*html.Node {
	if s.marks.isArticle() {
		return nil
	}
	var nodes []*html.Node
	whole, sum := s.measure(s.body), 0
	for _, p := range s.posts {
		if p.around && !s.marks.thread {
			continue
		}
		nodes = append(nodes, p.node)
		sum += s.measure(p.node)
		if p.around {
			whole += s.measure(p.node)
		}
	}
	if s.marks.thread && sum*5 >= whole || len(nodes) >= 2 && sum*2 >= whole {
		return nodes
	}
	return nil
}
