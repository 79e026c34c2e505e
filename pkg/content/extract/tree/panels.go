package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// findPanels finds the hidden elements that the page itself can open. There are three kinds. Some are named by a
// button or a link, some have the class of a panel, and some are behind elements that look like the heads of panels,
// as in a list of questions.
func (f *found) findPanels() {
	pairs := map[string]int{}
	for _, n := range f.hidden {
		if key := pairOf(n); key != "" {
			pairs[key]++
		}
	}
	for _, n := range f.hidden {
		if !mayBePanel(n) {
			continue
		}
		key := pairOf(n)
		if f.opens[dom.Attr(n, "id")] || dom.HasAttr(n, "aria-labelledby") && dom.Attr(n, "role") == "region" ||
			hasWord(panelWords, dom.Attr(n, "class")) || key != "" && (pairs[key] >= 2 || isHead(headOf(n))) {
			dom.SetPanel(n)
		}
	}
}

// panelWords are words in the classes of panels. noPanelWords are words in the classes of other elements that scripts
// show: dialogs, menus and messages.
var (
	panelWords = dom.WordSet(`
		tabpane tabpanel tabcontent accordion collapse collapsible collapsable expandable faq answer accordionitem
		toggle spoiler disclosure
	`)
	headWords = dom.WordSet(`
		accordion collapse collapsed collapsible expand expander expandable faq question toggle toggler trigger tab
		disclosure spoiler
	`)
	noPanelWords = dom.WordSet(`
		modal popup dialog dropdown menu submenu nav navbar navigation tooltip popover error errors invalid validation alert
		overlay login signin cart basket share search lightbox template cookie cookies consent loading loader spinner
		placeholder mobile offcanvas drawer print autocomplete suggestions honeypot
	`)
)

// hasWord reports whether a class contains one of the words, separated by "-" and "_". The class "tab-pane" contains
// the word "tabpane", too.
func hasWord(words map[string]bool, class string) bool {
	const longest = 40
	for name := range strings.FieldsSeq(class) {
		if len(name) > longest {
			continue
		}
		last := ""
		for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' }) {
			if words[word] || words[last+word] {
				return true
			}
			last = word
		}
	}
	return false
}

// mayBePanel reports whether a hidden element may be a panel with text for readers.
func mayBePanel(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Article, atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Dd, atom.Table, atom.Tbody, atom.Tr,
		atom.Blockquote, atom.Li, atom.Details, atom.Fieldset, atom.Aside, atom.Span, 0:
	default:
		return false
	}
	switch strings.ToLower(dom.Attr(n, "role")) {
	case "dialog", "alertdialog", "alert", "status", "menu", "listbox", "navigation", "search", "tooltip":
		return false
	}
	return !hasWord(noPanelWords, dom.Attr(n, "class")) && !hasWord(noPanelWords, dom.Attr(n, "id"))
}

// headOf returns the element directly before a panel if it may be the head of the panel, or else nil.
func headOf(panel *html.Node) *html.Node {
	const longest = 300 // bytes of text
	n := panel.PrevSibling
	for i := 0; n != nil && (n.Type != html.ElementNode || n.DataAtom == atom.Br); i++ {
		if i == maxBetween {
			return nil
		}
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			return nil
		}
		n = n.PrevSibling
	}
	if n == nil || dom.Unseen(n) || dom.IsPanel(n) {
		return nil
	}
	switch n.DataAtom {
	case atom.Input, atom.Label, atom.Select, atom.Textarea, atom.Img:
		return nil
	}
	if text := textOf(n, longest); text == "" || len(text) >= longest {
		return nil
	}
	return n
}

// pairOf returns a description of the look of a hidden block and the element before it, or "". If a page has several
// pairs of the same look, the elements before the blocks are the heads of panels.
func pairOf(panel *html.Node) string {
	if !dom.IsBlock(panel.DataAtom) || isInForm(panel) || dom.IsPanel(panel) {
		return ""
	}
	head := headOf(panel)
	if head == nil {
		return ""
	}
	of, class := head.Data+" "+dom.Attr(head, "class"), dom.Attr(panel, "class")
	if of == panel.Data+" "+class {
		return "" // two items of a list, and not a head with its panel
	}
	return of + ">" + panel.Data + " " + class
}

// isInForm reports whether a form field is before n. Then n may hold a message about a wrong value.
func isInForm(n *html.Node) bool {
	for i, c := 0, n.PrevSibling; c != nil && i < maxBetween; i, c = i+1, c.PrevSibling {
		if isField(c) {
			return !isChoice(c)
		}
	}
	return false
}

// maxBetween limits the number of nodes between two elements that belong together.
const maxBetween = 20

// isHead reports whether an element looks like one that opens the next element.
func isHead(n *html.Node) bool {
	if n.DataAtom == atom.Button || n.DataAtom == atom.Summary || dom.Attr(n, "role") == "button" ||
		dom.HasAttr(n, "onclick") || dom.HasAttr(n, "aria-expanded") || hasWord(headWords, dom.Attr(n, "class")) {
		return true
	}
	if n.DataAtom == atom.A {
		href := dom.Attr(n, "href")
		return href == "#" || href == "" || strings.HasPrefix(href, "javascript:")
	}
	only := onlyElement(n)
	return only != nil && (dom.IsHeading(n.DataAtom) || n.DataAtom == atom.Dt || n.DataAtom == atom.P ||
		n.DataAtom == atom.Div) && isHead(only)
}

// onlyElement returns the only child of n that is an element. It returns nil if there are several, or if there is
// text beside it.
func onlyElement(n *html.Node) (only *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.ElementNode && only == nil:
			only = c
		case c.Type == html.ElementNode, c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return nil
		}
	}
	return only
}

// textOf returns the first bytes of the text below n, at most the given number, without surrounding whitespace. It
// examines few nodes.
func textOf(n *html.Node, most int) (text string) {
	const mostNodes = 60
	nodes := 0
	for c := range n.Descendants() {
		if nodes++; nodes > mostNodes || len(text) >= most {
			break
		}
		if c.Type == html.TextNode && !dom.Unseen(c.Parent) {
			text += strings.TrimSpace(dom.Clip(c.Data, most)) + " "
		}
	}
	return strings.TrimSpace(text)
}
