package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Unseen reports whether readers do not see the text of n, or see the text only as a control.
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
// reader can open it. Nor is a panel that the page itself can open; see [IsPanel].
func Hides(n *html.Node) bool {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return !IsPanel(n)
			}
		case "style":
			if hidingStyle(a.Val) {
				return !IsPanel(n)
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

// Attributes that are added to elements while a page is read. Their names contain a blank, so no page and no selector
// can name them.
const (
	panelAttr   = " panel"
	captionAttr = " caption"
)

// SetPanel makes an element a panel that the page itself can open; see [IsPanel].
func SetPanel(n *html.Node) { addAttr(n, panelAttr) }

// SetCaption makes an element a caption; see [IsCaption].
func SetCaption(n *html.Node) { addAttr(n, captionAttr) }

// NoscriptAttr is the attribute of elements that were noscript elements and are read. Its value is the size of their
// markup, in bytes.
const NoscriptAttr = " noscript"

func addAttr(n *html.Node, name string) {
	if !HasAttr(n, name) {
		n.Attr = append(n.Attr, html.Attribute{Key: name})
	}
}

// IsPanel reports whether an element is a panel that the page itself can open: the panel of a tab, or one for which
// [SetPanel] was called. What the open panel shows is content.
func IsPanel(n *html.Node) bool {
	return HasAttr(n, panelAttr) || strings.EqualFold(strings.TrimSpace(Attr(n, "role")), "tabpanel")
}

// IsCaption reports whether a button or label is text that people read: the question above an answer, or a label that
// says more than the name of a field.
func IsCaption(n *html.Node) bool { return HasAttr(n, captionAttr) }

// IsCode reports whether an element of type a is code whose lines are kept as written: a pre element, or one of its
// older forms.
func IsCode(a atom.Atom) bool {
	switch a {
	case atom.Pre, atom.Listing, atom.Plaintext, atom.Xmp:
		return true
	}
	return false
}

// IsBlock reports whether elements of type a begin and end a line (HTML standard §15.3, "flow content").
func IsBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Legend,
		atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Search, atom.Section, atom.Summary, atom.Table,
		atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return IsCode(a)
}

// IsHeadingSign reports whether n is a link that shows only a sign such as "#" or "¶". Themes put such links beside
// headings.
func IsHeadingSign(n *html.Node) bool {
	if n.DataAtom != atom.A {
		return false
	}
	only := n
	for only.Type == html.ElementNode {
		if only = only.FirstChild; only == nil || only.NextSibling != nil {
			return false
		}
	}
	if only.Type != html.TextNode || len(only.Data) > 20 {
		return false
	}
	switch strings.TrimSpace(only.Data) {
	case "¶", "🔗", "§", "∞":
		return strings.Contains(Attr(n, "href"), "#")
	case "#":
		return strings.HasPrefix(Attr(n, "href"), "#")
	}
	return false
}

// IsHeading reports whether elements of type a are headings.
func IsHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// IsList reports whether elements of type a are lists of items.
func IsList(a atom.Atom) bool { return a == atom.Ul || a == atom.Ol || a == atom.Menu }
