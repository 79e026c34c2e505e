package selector

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// MaxName is the number of bytes of a text that are compared with a name.
const MaxName = 200

// lines calls the given function for the lines that an element shows, until it returns false: the texts between
// blocks, with single blanks between words. Of a line that is longer than [MaxName], it gets the beginning.
func (p *Page) lines(n *html.Node, line func(string) bool) {
	w := lineWriter{page: p, line: line, open: true}
	w.write(n)
	w.end()
}

type lineWriter struct {
	page   *Page
	text   strings.Builder
	spaced bool
	line   func(string) bool
	open   bool
}

func (w *lineWriter) write(n *html.Node) {
	if w.page.steps--; w.page.steps < 0 || !w.open {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.add(n.Data)
		return
	case html.ElementNode:
		if isHidden(n) {
			return
		}
	}
	if isBlock(n) {
		w.end()
	}
	for c := n.FirstChild; c != nil && w.open; c = c.NextSibling {
		w.write(c)
	}
	if isBlock(n) {
		w.end()
	}
}

func (w *lineWriter) add(text string) {
	for _, r := range text {
		switch {
		case w.text.Len() > MaxName:
			return
		case unicode.IsSpace(r):
			w.spaced = true
		case words.Steers(r) || r == '\u00ad' || r == '\u200b' || r == '\ufeff':
		default:
			if w.spaced && w.text.Len() > 0 {
				w.text.WriteByte(' ')
			}
			w.spaced = false
			w.text.WriteRune(r)
		}
	}
}

func (w *lineWriter) end() {
	if w.text.Len() > 0 && w.open {
		w.open = w.line(clip(w.text.String()))
	}
	w.text.Reset()
	w.spaced = false
}

func clip(text string) string { return strings.TrimSpace(words.Clip(text, MaxName)) }

// Text returns what an element shows, on one line, at most [MaxName] bytes of it.
func (p *Page) Text(n *html.Node) string {
	out := ""
	p.lines(n, func(line string) bool {
		out = strings.TrimSpace(out + " " + line)
		return len(out) < MaxName
	})
	return clip(out)
}

// firstLine returns the first line that an element shows.
func (p *Page) firstLine(n *html.Node) (out string) {
	p.lines(n, func(line string) bool {
		out = line
		return false
	})
	return out
}

// fold returns the form of a text in which names are compared: in lower case, without a colon at its end.
func fold(text string) string {
	return strings.ToLower(strings.TrimRight(text, ": ：\u00a0"))
}

// isHidden reports whether readers do not see an element.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Head:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "aria-hidden":
			return a.Val == "true"
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
		}
	}
	return false
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Br, atom.Button, atom.Caption, atom.Dd,
		atom.Details, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Legend, atom.Li, atom.Main,
		atom.Nav, atom.Ol, atom.Option, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td,
		atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func elementAfter(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

func firstElement(n *html.Node) *html.Node {
	for n = n.FirstChild; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}
