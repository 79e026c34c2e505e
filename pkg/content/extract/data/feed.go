package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// feed is an RSS or Atom feed.
type feed struct {
	about   []*node // what the feed says of itself
	entries []*node
}

// feedOf recognizes a feed by the names of its elements: RSS 2.0, RSS 1.0 and Atom 1.0.
func feedOf(root *node) (f feed, ok bool) {
	channel := root
	switch strings.ToLower(root.name) {
	case "feed":
	case "rss", "rdf":
		if at := slices.IndexFunc(root.kids, func(n *node) bool { return n.name == "channel" }); at >= 0 {
			channel = root.kids[at]
		} else {
			return f, false
		}
	default:
		return f, false
	}
	for _, kid := range channel.kids {
		if isEntry(kid) {
			f.entries = append(f.entries, kid)
		} else {
			f.about = append(f.about, kid)
		}
	}
	if channel != root {
		for _, kid := range root.kids { // RSS 1.0
			if isEntry(kid) {
				f.entries = append(f.entries, kid)
			}
		}
	}
	return f, true
}

func isEntry(n *node) bool { return n.name == "item" || n.name == "entry" }

// unread are the names of elements of an entry that are not shown: they identify it, or change by themselves.
var unread = []string{"guid", "id", "about", "updated", "modified", "comments", "total", "commentrss", "statistics"}

// write adds the title of the feed and its description, and a section for each entry. Of the other things that a feed
// says of itself, most change whenever it is made, and none is shown.
func (f feed) write(w *writer) extract.Document {
	about := &node{kids: f.about}
	title := textOf(about, "title")
	w.heading(1, title)
	for _, name := range []string{"description", "subtitle", "tagline"} {
		if text := textOf(about, name); text != "" && text != title {
			w.line("", text)
		}
	}
	for _, entry := range f.entries {
		w.entry(entry)
	}
	return w.document(title)
}

// entry adds an entry: its title as a heading, what it says in lines, and its text.
func (w *writer) entry(n *node) {
	title := cmp.Or(plain(textOf(n, "title")), plain(textOf(n, "pubDate")), plain(textOf(n, "link")), "(no title)")
	w.heading(2, dom.Clip(title, longestName*2))
	text := bestText(n)
	for _, kid := range n.kids {
		switch name := strings.ToLower(kid.name); {
		case slices.Contains(unread, name), name == "title" && plain(contentOf(kid)) == title, kid == text,
			isText(kid) && shows(text, kid):
		case name == "link" || name == "enclosure":
			if address := cmp.Or(textOf(kid, "href"), textOf(kid, "url"), kid.text); address != "" {
				w.out.Link(strings.TrimSpace(address), title)
			}
		default:
			w.inline(kid, kid.name)
		}
	}
	if text != nil {
		w.line("", contentOf(text))
	}
}

// texts are the names of elements that hold the text of an entry, the fullest first.
var texts = []string{"encoded", "content", "description", "summary"}

func isText(n *node) bool {
	return slices.Contains(texts, strings.ToLower(n.name)) && contentOf(n) != ""
}

// bestText returns the element with the text of an entry, or nil.
func bestText(n *node) *node {
	for _, name := range texts {
		for _, kid := range n.kids {
			if strings.EqualFold(kid.name, name) && contentOf(kid) != "" {
				return kid
			}
		}
	}
	return nil
}

// shows reports whether the text of an entry contains another, which would only repeat it.
func shows(text, other *node) bool {
	return text != nil && strings.Contains(plain(contentOf(text)), plain(contentOf(other)))
}

// contentOf returns the content of an element that holds text: HTML, the source of XHTML, or plain text.
func contentOf(n *node) string {
	for _, kid := range n.kids {
		if kid.name == "type" && strings.EqualFold(kid.text, "xhtml") {
			return n.raw
		}
	}
	for _, kid := range n.kids {
		if kid.name == "" {
			return kid.text
		}
	}
	return n.text
}

// textOf returns the text of the first member with a name.
func textOf(n *node, name string) string {
	for _, kid := range n.kids {
		if strings.EqualFold(kid.name, name) {
			if text := strings.TrimSpace(contentOf(kid)); text != "" {
				return text
			}
		}
	}
	return ""
}

// plain returns a text without tags.
func plain(text string) string {
	if !strings.Contains(text, "<") {
		return dom.Fold(text)
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<")
		_, after, closed := strings.Cut(rest, ">")
		if !found || !closed {
			out.WriteString(text)
			return dom.Fold(out.String())
		}
		out.WriteString(before + " ")
		text = after
	}
}
