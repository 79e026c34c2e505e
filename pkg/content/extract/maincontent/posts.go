package maincontent

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
	node    *html.Node
	inNamed bool // it stands in an element that is named as chrome
}

// isPost reports whether an element is a post by its name.
func isPost(n *html.Node) bool {
	switch dom.Attr(n, "itemprop") {
	case "text", "commentText":
		return true
	}
	return dom.HasName(postNames, dom.Attr(n, "class")) || dom.Attr(n, "component") == "post/content"
}

// thread is the posts of a page that is a discussion, or mostly so; else nil. In a page that does not declare to be
// one, posts inside of what is named as comments do not count: they may follow an article.
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
