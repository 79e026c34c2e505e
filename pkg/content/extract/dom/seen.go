package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Unseen reports whether readers do not see the text of n, or see it only as a control.
func Unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Head, atom.Title, atom.Iframe, atom.Noembed,
		atom.Noframes, atom.Svg, atom.Canvas, atom.Audio, atom.Video, atom.Select, atom.Datalist, atom.Textarea,
		atom.Annotation, atom.Rp:
		return true
	case atom.Dialog:
		return !HasAttr(n, "open")
	}
	return Hides(n)
}

// Hides reports whether attributes hide the element. An element with hidden="until-found" is not hidden, because the
// reader can open it. Nor is a tab panel, even while another tab is open.
func Hides(n *html.Node) bool {
	if IsTabPanel(n) {
		return false
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "style":
			if hidingStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

func hidingStyle(style string) bool {
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value))
		if name == "display" && strings.HasPrefix(value, "none") ||
			name == "visibility" && strings.HasPrefix(value, "hidden") {
			return true
		}
	}
	return false
}

// IsTabPanel reports whether an element is the panel of a tab.
func IsTabPanel(n *html.Node) bool {
	return strings.EqualFold(strings.TrimSpace(Attr(n, "role")), "tabpanel")
}

// IsBlock reports whether elements of type a begin and end a line (HTML standard §15.3, "flow content").
func IsBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Legend,
		atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Search, atom.Section, atom.Summary,
		atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// IsHeadingSign reports whether n is a link that shows only a sign such as "#" or "¶". Themes put such links beside
// headings.
func IsHeadingSign(n *html.Node) bool {
	if n.DataAtom != atom.A || n.FirstChild == nil || n.FirstChild.NextSibling != nil ||
		n.FirstChild.Type != html.TextNode {
		return false
	}
	switch strings.TrimSpace(n.FirstChild.Data) {
	case "#", "¶", "§", "🔗", "∞":
		return strings.HasPrefix(Attr(n, "href"), "#")
	}
	return false
}
