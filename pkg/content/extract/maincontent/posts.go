package maincontent

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

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
func isPost(n *html.Node) bool {
	switch dom.Attr(n, "itemprop") {
	case "text", "commentText":
		return !answersItself(n)
	}
	return dom.HasName(postNames, dom.Attr(n, "class")) || dom.Attr(n, "component") == "post/content"
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
