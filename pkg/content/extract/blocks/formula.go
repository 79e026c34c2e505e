package blocks

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// formula returns the TeX, between dollar signs, of an element that shows a formula. Pages often contain the same
// formula several times: for display, for screen readers and for scripts. Only for one of these elements does formula
// return the TeX. For the others, found is true and the text is empty. For an element that shows no formula, found is
// false.
func formula(n *html.Node) (tex string, display, found bool) {
	switch {
	case n.DataAtom == atom.Math:
		tex, display = mathML(n), dom.Attr(n, "display") == "block"
	case n.DataAtom == atom.Script && strings.HasPrefix(dom.Attr(n, "type"), "math/tex"):
		tex, display = dom.RawText(n), strings.Contains(dom.Attr(n, "type"), "mode=display")
	case n.DataAtom == atom.Img && dom.HasName(formulaImages, dom.Attr(n, "class")):
		tex = dom.Attr(n, "alt")
	case n.Data == "mjx-container":
		display = dom.Attr(n, "display") == "true"
		tex = mathML(childNamed(childNamed(n, "mjx-assistive-mml"), "math"))
	case n.DataAtom != atom.Span && n.DataAtom != atom.Div:
		return "", false, false
	case dom.HasName(rawTeX, dom.Attr(n, "class")) && isText(n.FirstChild):
		tex, display, found = delimited(n.FirstChild.Data)
		if !found {
			return "", false, false
		}
	case dom.HasName(katex, dom.Attr(n, "class")):
		math := childNamed(childNamed(n, "span"), "math")
		tex, display = mathML(math), math != nil && dom.Attr(math, "display") == "block"
	default:
		return "", false, dom.HasName(mathJax, dom.Attr(n, "class")) && isBesideTeX(n)
	}
	tex = strings.TrimSpace(dom.Fold(tex))
	if inner, found := strings.CutPrefix(tex, `{\displaystyle `); found {
		tex = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
	}
	if tex == "" {
		return "", false, false
	}
	if display {
		return "$$" + tex + "$$", true, true
	}
	return "$" + tex + "$", false, true
}

var (
	formulaImages = dom.WordSet("mwe-math-fallback-image-inline mwe-math-fallback-image-display latex tex math")
	rawTeX        = dom.WordSet("math arithmatex tex")
	katex         = dom.WordSet("katex")
	mathJax       = dom.WordSet("mathjax mathjax-preview mathjax-display mathjax-svg mathjax-svg-display mathjax-chtml " +
		"mjxc-display")
)

func isText(n *html.Node) bool { return n != nil && n.Type == html.TextNode && n.NextSibling == nil }

// delimited returns the TeX between the delimiters that MathJax recognizes.
func delimited(text string) (tex string, display, found bool) {
	text = strings.TrimSpace(text)
	if inner, found := strings.CutPrefix(text, `\(`); found && strings.HasSuffix(inner, `\)`) {
		return strings.TrimSuffix(inner, `\)`), false, true
	}
	if inner, found := strings.CutPrefix(text, `\[`); found && strings.HasSuffix(inner, `\]`) {
		return strings.TrimSuffix(inner, `\]`), true, true
	}
	return "", false, false
}

// isBesideTeX reports whether MathJax wrote n: one of the next siblings is the script that holds the TeX.
func isBesideTeX(n *html.Node) bool {
	const near = 4
	for i := 0; n != nil && i < near; i++ {
		if n.DataAtom == atom.Script && strings.HasPrefix(dom.Attr(n, "type"), "math/tex") {
			return true
		}
		n = n.NextSibling
	}
	return false
}

// childNamed returns the first child element of n with that name. n may be nil.
func childNamed(n *html.Node, name string) *html.Node {
	if n == nil {
		return nil
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == name {
			return c
		}
	}
	return nil
}

// mathML returns the TeX of a math element. The TeX is the element's annotation, or else its alternative text, or
// else made from the elements in it.
func mathML(n *html.Node) string {
	if n == nil {
		return ""
	}
	if semantics := childNamed(n, "semantics"); semantics != nil {
		for c := semantics.FirstChild; c != nil; c = c.NextSibling {
			if c.Data == "annotation" && strings.Contains(strings.ToLower(dom.Attr(c, "encoding")), "tex") {
				return dom.RawText(c)
			}
		}
	}
	if alt := dom.Attr(n, "alttext"); alt != "" {
		return alt
	}
	var out strings.Builder
	writeMath(&out, n)
	return out.String()
}

// mathForms are the TeX forms of MathML elements with a fixed number of children. Each % is replaced by the next
// child.
var mathForms = map[string]string{
	"msup": "{%}^{%}", "msub": "{%}_{%}", "msubsup": "{%}_{%}^{%}", "mfrac": `\frac{%}{%}`,
	"mover": "{%}^{%}", "munder": "{%}_{%}", "munderover": "{%}_{%}^{%}",
}

// writeMath writes an element of MathML as TeX. Symbols remain plain characters.
func writeMath(out *strings.Builder, n *html.Node) {
	children := elementsOf(n)
	switch {
	case n.Data == "mi" || n.Data == "mn" || n.Data == "mo" || n.Data == "mtext" || n.Data == "ms":
		out.WriteString(strings.TrimSpace(strings.Map(mathRune, dom.RawText(n))))
	case n.Data == "annotation" || n.Data == "annotation-xml":
	case n.Data == "msqrt":
		writeAll(out, `\sqrt{`, children, "", "}")
	case n.Data == "mroot" && len(children) == 2:
		writeAll(out, `\sqrt[`, children[1:], "", "]{")
		writeAll(out, "", children[:1], "", "}")
	case n.Data == "mtr":
		writeAll(out, "", children, " & ", ` \\ `)
	case strings.Count(mathForms[n.Data], "%") == len(children) && len(children) > 0:
		for _, part := range strings.SplitAfter(mathForms[n.Data], "%") {
			text, more := strings.CutSuffix(part, "%")
			out.WriteString(text)
			if more {
				writeMath(out, children[0])
				children = children[1:]
			}
		}
	default:
		writeAll(out, "", children, "", "")
	}
}

func writeAll(out *strings.Builder, before string, nodes []*html.Node, between, after string) {
	out.WriteString(before)
	for i, n := range nodes {
		if i > 0 {
			out.WriteString(between)
		}
		writeMath(out, n)
	}
	out.WriteString(after)
}

func elementsOf(n *html.Node) (all []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			all = append(all, c)
		}
	}
	return all
}

// mathRune drops invisible operators, such as "times" between x and y (Unicode, U+2061 to U+2064).
func mathRune(r rune) rune {
	if r >= '\u2061' && r <= '\u2064' {
		return -1
	}
	return r
}
