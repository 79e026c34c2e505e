package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// maxFound limits the number of elements of each kind that are examined on one page.
const maxFound = 5_000

// found holds the elements of a page whose meaning depends on other elements.
type found struct {
	shadows   []*html.Node // templates that are shadow roots
	inline    []*html.Node // frames whose page is in an attribute
	framesets []*html.Node
	texts     []*html.Node // textareas in which nobody can write
	noscripts []*html.Node

	hidden   []*html.Node
	buttons  []*html.Node
	labels   []*html.Node
	controls map[string]*html.Node // fields of forms, by id
	opens    map[string]bool       // ids of elements that another element opens
}

// see adds n to the list of its kind, if the meaning of n depends on other elements.
func (f *found) see(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.DataAtom {
	case atom.Template:
		if dom.HasAttr(n, "shadowrootmode") {
			f.shadows = limited(f.shadows, n)
		}
	case atom.Iframe:
		if dom.HasAttr(n, "srcdoc") {
			f.inline = limited(f.inline, n)
		}
	case atom.Noscript:
		if n.FirstChild != nil {
			f.noscripts = limited(f.noscripts, n)
		}
	case atom.Frameset:
		f.framesets = limited(f.framesets, n)
	case atom.Label:
		f.labels = limited(f.labels, n)
	case atom.Input, atom.Select, atom.Textarea:
		if id := dom.Attr(n, "id"); id != "" && len(f.controls) < maxFound {
			if f.controls == nil {
				f.controls = map[string]*html.Node{}
			}
			f.controls[id] = n
		}
		if n.DataAtom == atom.Textarea && dom.HasAttr(n, "readonly") {
			f.texts = limited(f.texts, n)
		}
	case atom.Button:
		f.buttons = limited(f.buttons, n)
	}
	f.seeAttrs(n)
}

func limited(list []*html.Node, n *html.Node) []*html.Node {
	if len(list) >= maxFound {
		return list
	}
	return append(list, n)
}

// seeAttrs records whether n is hidden, and which other elements it opens.
func (f *found) seeAttrs(n *html.Node) {
	hidden := false
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden", "style":
			hidden = hidden || a.Key == "hidden" || strings.Contains(a.Val, "none") || strings.Contains(a.Val, "hidden")
		case "aria-hidden":
			hidden = hidden || a.Val == "true"
		case "aria-controls", "commandfor", "popovertarget":
			for id := range strings.FieldsSeq(a.Val) {
				f.opened(id)
			}
		case "href", "data-target", "data-bs-target", "data-toggle", "data-tab", "data-panel", "data-collapse":
			if id, isID := strings.CutPrefix(a.Val, "#"); isID || strings.HasPrefix(a.Key, "data-") {
				f.opened(id)
			}
		}
	}
	if hidden {
		f.hidden = limited(f.hidden, n)
	}
}

func (f *found) opened(id string) {
	if id == "" || len(f.opens) >= maxFound {
		return
	}
	if f.opens == nil {
		f.opens = map[string]bool{}
	}
	f.opens[id] = true
}
