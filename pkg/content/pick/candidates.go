package pick

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// candidates returns selectors that may find the element by what the page says or by its markup.
func (p *picker) candidates() (out []Way) {
	own, id := p.namesIn(p.n)
	if id != "" {
		out = append(out, Way{Selector: id, Words: "its id", By: ByID})
	}
	if landmarks[p.n.DataAtom] {
		out = append(out, Way{Selector: p.n.Data, Words: "the only one of its kind", By: ByClass})
	}
	names, headed, listed := p.byNames(), p.headed(), p.isListed()
	isOwn := func(w Way) bool {
		return strings.HasPrefix(w.Selector, "[") && !strings.Contains(w.Selector, "class*=")
	}
	hasName := len(names) > 0
	for _, w := range p.marked(own, nil) {
		switch {
		case !listed && isOwn(w):
			out = append(out, w)
		case !listed || !hasName:
			names = append(names, w)
		}
	}
	out = append(append(out, names...), headed...)
	switch {
	case !listed:
		out = append(out, p.first()...)
	case hasName:
		return out // classes of entries come with each new one
	}
	return append(out, p.marked(own, p.above[1:])...)
}

// isListed reports whether the element is or is in an entry or a row.
func (p *picker) isListed() bool {
	return slices.ContainsFunc(p.above, func(n *html.Node) bool { return selector.IsRow(n) || selector.IsEntry(n) })
}

// byNames returns selectors by the names of the element and of what is around it.
func (p *picker) byNames() (out []Way) {
	var scoped []Way
	for _, a := range p.above {
		if !isName(a.Data) || a.DataAtom == atom.Body || a.DataAtom == atom.Html || a.DataAtom == atom.Main {
			continue
		}
		for _, name := range p.namesOf(a) {
			for _, in := range p.inner(a) {
				w := Way{Selector: a.Data + name.test + in.test, Words: in.words + "the " + noun(a) + " " + name.words,
					By: ByLabel}
				if selector.IsRow(a) || selector.IsEntry(a) {
					w.By = ByKey
				}
				out = append(out, w)
				for _, c := range p.containers(a) {
					scoped = append(scoped, Way{Selector: c.test + " " + w.Selector, Words: w.Words + " in " + c.words,
						By: w.By})
				}
			}
		}
	}
	return append(out, scoped...)
}

// aTest is a condition of a selector, or a selector, with its words for people.
type aTest struct{ test, words string }

func namedTest(texts ...string) aTest {
	var quoted []string
	for _, t := range texts {
		quoted = append(quoted, selector.Quote(t))
	}
	shown := slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "*" })
	return aTest{":named(" + strings.Join(quoted, ", ") + ")", "“" + strings.Join(shown, ", ") + "”"}
}

// namesOf returns the tests by which an element is found: by its name, and by its name with another line of it.
func (p *picker) namesOf(a *html.Node) (out []aTest) {
	const most = 3
	var names []string
	switch {
	case selector.IsRow(a), selector.IsEntry(a):
		names = p.page.Names(a)
	case selector.IsCell(a):
		return nil // it is found in its row
	default:
		if name := cmp.Or(p.page.Label(a), p.page.Head(a)); name != "" {
			names = []string{name}
		} else if a == p.n {
			names = p.page.Names(a)
			names = names[:max(0, len(names)-1)] // the last one is its line
		}
	}
	own := p.page.Text(p.n)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { // that has the value
		return a != p.n && name != own && own != "" && strings.Contains(name, own)
	})
	if len(names) == 0 {
		return nil
	}
	known := names[:min(len(names), most)]
	for _, name := range known {
		for _, key := range keys(name) {
			out = append(out, namedTest(key))
		}
	}
	if !selector.IsRow(a) && !selector.IsEntry(a) {
		return out
	}
	for _, second := range p.seconds(a) {
		if len(out) > 0 {
			out = append(out, namedTest(known[0], second))
		} else {
			out = append(out, namedTest("*", second))
		}
	}
	return out
}

// seconds returns lines of an entry that tell it apart from its siblings: in their places, all have other ones.
func (p *picker) seconds(a *html.Node) (out []string) {
	const most, lines, siblings = 2, 8, 300
	key := p.firstName(a)
	others := map[string]bool{} // the lines of those with the same key
	for _, s := range p.siblings(a, siblings) {
		if s == a || isWordy(key) && p.firstName(s) != key {
			continue
		}
		for _, line := range p.page.Lines(s, lines) {
			others[line] = true
		}
	}
	for _, line := range p.page.Lines(a, lines) {
		if line != key && isSecond(line) && !others[line] && len(out) < most {
			out = append(out, line)
		}
	}
	return out
}

// firstName returns the best name of an element; "" if it has none.
func (p *picker) firstName(n *html.Node) string {
	if names := p.page.Names(n); len(names) > 0 {
		return names[0]
	}
	return ""
}

// siblings returns an element and those like it in the same element.
func (p *picker) siblings(a *html.Node, most int) (out []*html.Node) {
	for c := range a.Parent.ChildNodes() {
		if c.Type == html.ElementNode && (c == a || selector.Alike(a, c)) && len(out) < most {
			out = append(out, c)
		}
	}
	return out
}

// inner returns what finds the element within a, which is it or is around it.
func (p *picker) inner(a *html.Node) (out []aTest) {
	const few = 20 // cells of a row, or parts of an entry
	n := p.n
	if p.isSame(a) {
		return []aTest{{}}
	}
	if !isName(n.Data) {
		return nil
	}
	if selector.IsCell(n) {
		if h := p.page.Header(n); h != "" {
			for _, key := range keys(h) {
				out = append(out, aTest{" " + n.Data + ":column(" + selector.Quote(key) + ")", "“" + key + "” of "})
			}
		}
	}
	own, _ := p.namesIn(n)
	for _, name := range own {
		if isAttribute(name) {
			out = append(out, aTest{" " + name, "a part of "})
		}
	}
	if label := p.page.Label(n); label != "" && label != p.page.Head(a) {
		for _, key := range keys(label) {
			out = append(out, aTest{" " + n.Data + ":named(" + selector.Quote(key) + ")", "“" + key + "” of "})
		}
	}
	isPlain := n.DataAtom == atom.Div || n.DataAtom == atom.Span
	if !isPlain {
		out = append(out, aTest{" " + n.Data, "a part of "})
	}
	for _, name := range own {
		if !isAttribute(name) {
			out = append(out, aTest{" " + n.Data + name, "a part of "})
		}
	}
	if isPlain {
		out = append(out, aTest{" " + n.Data, "a part of "})
	}
	if same, _ := position(n); n.Parent == a && n.DataAtom != atom.P && same <= few &&
		(selector.IsRow(a) || selector.IsEntry(a)) {
		out = append(out, aTest{" > " + step(n), "the " + ordinal(n) + " part of "})
	}
	return out
}

// containers returns what finds an element around a.
func (p *picker) containers(a *html.Node) (out []aTest) {
	const most = 4
	for up := a.Parent; up != nil && up.Type == html.ElementNode && len(out) < most; up = up.Parent {
		if up.DataAtom == atom.Body || up.DataAtom == atom.Html || !isName(up.Data) || selector.IsRow(up) {
			continue
		}
		if head := p.page.Head(up); head != "" && len(keys(head)) > 0 {
			t := namedTest(keys(head)[0])
			out = append(out, aTest{up.Data + t.test, "the " + noun(up) + " " + t.words})
		}
		own, id := p.namesIn(up)
		if id != "" {
			out = append(out, aTest{id, id})
		}
		if up.DataAtom == atom.Table || up.DataAtom == atom.Ul || up.DataAtom == atom.Ol || up.DataAtom == atom.Dl {
			for _, h := range p.underOf(up, 1) {
				out = append(out, aTest{up.Data + h.test, h.words})
			}
		}
		if len(own) > 0 {
			out = append(out, aTest{own[0], own[0]})
		}
	}
	return out
}

// headed returns selectors by the headings above the element.
func (p *picker) headed() (out []Way) {
	if !isName(p.n.Data) {
		return nil
	}
	var bases []string
	if p.n.DataAtom != atom.Div && p.n.DataAtom != atom.Span { // as adverts are
		bases = append(bases, p.n.Data)
	}
	own, _ := p.namesIn(p.n)
	for _, name := range own {
		bases = append(bases, p.n.Data+name)
	}
	for _, h := range p.underOf(p.n, 2) {
		for _, base := range bases {
			out = append(out, Way{Selector: base + h.test, Words: "the text " + h.words, By: ByHeading})
		}
	}
	return out
}

func (p *picker) underOf(n *html.Node, most int) (out []aTest) {
	for _, h := range p.page.Headings(n) {
		if k := keys(h); len(k) > 0 && len(out) < most {
			out = append(out, aTest{":under(" + selector.Quote(k[0]) + ")", "under “" + k[0] + "”"})
		}
	}
	return out
}

// first returns selectors by the first words of the element.
func (p *picker) first() (out []Way) {
	if p.n.DataAtom != atom.P && p.n.DataAtom != atom.Blockquote {
		return nil
	}
	if t, ok := p.firstWords(p.n); ok {
		out = append(out, Way{Selector: p.n.Data + t.test, Words: "its first words, " + t.words, By: ByKey})
	}
	return out
}

// firstWords returns a test of the first words of a paragraph, which are a line of it.
func (p *picker) firstWords(n *html.Node) (t aTest, ok bool) {
	const most = 4
	lines := p.page.Lines(n, most)
	for _, line := range lines {
		if found := texts(line); len(found) > 0 && len(lines) == 1 {
			return namedTest(found[0]), true
		} else if len(found) > 0 {
			return namedTest("*", found[0]), true
		}
	}
	return t, false
}

// marked returns selectors by the names that the markup gives to the element, or to it and to elements around it.
func (p *picker) marked(own []string, around []*html.Node) (out []Way) {
	add := func(text string) {
		out = append(out, Way{Selector: text, Words: "its names in the markup", By: ByClass})
	}
	if around == nil {
		for _, name := range own {
			add(name)
		}
		if classes := ofKind(own, '.'); len(classes) > 1 {
			add(classes[0] + classes[1])
		}
		return out
	}
	if isName(p.n.Data) {
		own = append(slices.Clone(own), p.n.Data)
	}
	for _, up := range around {
		others, id := p.namesIn(up)
		if id != "" {
			others = append([]string{id}, others...)
		}
		if landmarks[up.DataAtom] {
			others = append(others, up.Data)
		}
		for _, a := range others {
			for _, o := range own {
				add(a + " " + o)
			}
		}
	}
	return out
}

// landmarks are elements of which a page usually has one.
var landmarks = map[atom.Atom]bool{atom.Main: true, atom.Nav: true, atom.Header: true, atom.Footer: true, atom.H1: true}

// namesIn returns the names of an element in the markup, and its id apart. An id or attribute that counts is left out.
func (p *picker) namesIn(n *html.Node) (own []string, id string) {
	for _, name := range names(n) {
		switch {
		case name[0] == '#' && !p.isCounted(n, "id"):
			id = name
		case name[0] == '.' && p.stem(name[1:]) != "":
			own = append(own, `[class*="`+p.stem(name[1:])+`"]`)
		case name[0] != '#':
			own = append(own, name)
		}
	}
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		if stem := p.stem(class); stem != "" && len(own) == 0 {
			own = append(own, `[class*="`+stem+`"]`)
		}
	}
	return own, id
}

// isAttribute reports whether a name in the markup is an attribute other than a class.
func isAttribute(name string) bool { return name[0] == '[' && !strings.HasPrefix(name, "[class") }

// stem returns the part of a class that stays when a program gives it another suffix; "" if it has none.
func (p *picker) stem(class string) string {
	if p.made == nil {
		p.made = suffixesOf(p.root)
	}
	return p.made.stem(class)
}

// isCounted reports whether an attribute ends in a number, and that of another element only differs by it.
func (p *picker) isCounted(n *html.Node, key string) bool {
	stem, has := cutNumber(dom.Attr(n, key))
	if !has {
		return false
	}
	for d := range p.root.Descendants() {
		if d != n && d.Type == html.ElementNode {
			if other, has := cutNumber(dom.Attr(d, key)); has && other == stem {
				return true
			}
		}
	}
	return false
}

func cutNumber(value string) (stem string, has bool) {
	stem = strings.TrimRight(value, "0123456789")
	return stem, stem != value
}
