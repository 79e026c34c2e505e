package pick

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	out = slices.Concat(out, names, p.behind())
	if first := p.first(); listed || !p.isProse() {
		out = append(out, headed...)
		if !listed {
			out = append(out, first...)
		}
	} else {
		out = slices.Concat(out, first, headed) // paragraphs come and go under a heading
	}
	switch {
	case !listed:
	case hasName:
		return out // classes of entries come with each new one
	}
	return append(out, p.marked(own, p.above[1:])...)
}

// isProse reports whether the element is a long paragraph, which its first words tell from others.
func (p *picker) isProse() bool {
	const least = 120
	return p.n.DataAtom == atom.P && len(p.page.Text(p.n)) >= least
}

// isListed reports whether the element is or is in an entry or a row. A plain section is a chapter.
func (p *picker) isListed() bool {
	return slices.ContainsFunc(p.above, func(n *html.Node) bool {
		return selector.IsRow(n) || selector.IsEntry(n) && (n.DataAtom != atom.Section || isKind(n))
	})
}

// byNames returns selectors by the names of the element and of what is around it. Those that need all that an entry
// shows come last.
func (p *picker) byNames() (out []Way) {
	var late []Way
	for _, whole := range []bool{false, true} {
		var scoped []Way
		for _, a := range p.above {
			if !isName(a.Data) || a.DataAtom == atom.Body || a.DataAtom == atom.Html || a.DataAtom == atom.Main {
				continue
			}
			alone, in := p.byNamesOf(a, whole)
			scoped = append(scoped, in...)
			if whole {
				late = append(late, alone...)
			} else {
				out = append(out, alone...)
			}
		}
		out = append(out, scoped...)
	}
	return append(out, late...)
}

// byNamesOf returns selectors by the names of an element that is or is around the element, alone and in what is around
// that.
func (p *picker) byNamesOf(a *html.Node, whole bool) (alone, scoped []Way) {
	by := ByLabel
	if selector.IsRow(a) || selector.IsEntry(a) {
		by = ByKey
	}
	positions := p.positionsIn(a)
	for _, name := range p.namesOf(a, whole) {
		join := " "
		if strings.HasPrefix(name.test, `:named("*"`) && !selector.IsRow(a) {
			join = " > " // what is around it has the line, too
		}
		for _, in := range p.inner(a, positions) {
			base := a.Data + name.test
			if line, is := p.namesake(a, name.test); in.test == "" && is {
				base = a.Data + namedTest(line, line).test
			}
			w := Way{Selector: base + in.test, Words: in.words + "the " + noun(a) + " " + name.words, By: by}
			alone = append(alone, w)
			p.addPositions(base, in.test, positions)
			for _, c := range p.containers(a) {
				scoped = append(scoped, Way{Selector: c.test + join + w.Selector, Words: w.Words + " in " + c.words, By: by})
				p.addPositions(c.test+join+base, in.test, positions)
			}
		}
	}
	return alone, scoped
}

// namesake returns the name of an element that has it as a line, if an element in that has it as its label. That would
// be found instead of it if it lost the name, but does not have the line.
func (p *picker) namesake(a *html.Node, test string) (line string, is bool) {
	text := a.Data + test
	found := p.all(text + " " + text)
	if len(found) == 0 || p.isSame(found[0]) {
		return "", false
	}
	line = p.page.Label(found[0])
	return line, line != "" && slices.Contains(p.page.Lines(a, 2), line)
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

// namesOf returns the tests by which an element is found: by its name, and by its name with another line of it; or, if
// it has another name, by the whole of what it shows.
func (p *picker) namesOf(a *html.Node, whole bool) (out []aTest) {
	const most = 3
	var names []string
	switch {
	case selector.IsRow(a), selector.IsEntry(a):
		names = p.page.Names(a)
	case selector.IsCell(a):
		return nil // it is found in its row
	default:
		names = p.labelsOf(a)
	}
	own := p.page.Text(p.n)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { // that has the value
		return a != p.n && name != own && own != "" && strings.Contains(name, own) ||
			a == p.n && name == own && slices.ContainsFunc(names, func(label string) bool { return isLabelled(own, label) })
	})
	if all := p.page.Text(a); len(names) > 1 && slices.Contains(names[1:], all) {
		names = slices.DeleteFunc(names, func(name string) bool { return (name == all) != whole })
	} else if whole {
		return nil
	}
	known := names[:min(len(names), most)]
	for _, name := range known {
		for _, key := range keys(name) {
			out = append(out, namedTest(key))
		}
	}
	if whole || !selector.IsRow(a) && !selector.IsEntry(a) {
		return out
	}
	name := "*"
	if len(out) > 0 {
		name = known[0]
	}
	for _, second := range p.seconds(a) {
		out = append(out, namedTest(name, second))
	}
	return out
}

// labelsOf returns the names of what is no entry: a short label in its line, and what labels or heads it, or else all
// names but its line.
func (p *picker) labelsOf(a *html.Node) (out []string) {
	var own []string
	if names := p.page.Names(a); a == p.n && len(names) > 1 {
		own = names[:len(names)-1]
	}
	label := cmp.Or(p.page.Label(a), p.page.Head(a))
	if label == "" {
		return own
	}
	for _, name := range own {
		if name != label && len(name) <= maxName && strings.HasPrefix(p.page.Text(a), name) {
			out = append(out, name)
		}
	}
	return append(out, label)
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
	all, own := p.page.Text(a), p.page.Text(p.n)
	var long []string
	for _, line := range p.page.Lines(a, lines) {
		switch {
		case line == key || others[line] || line == all || a != p.n && isWordy(key) && strings.Contains(line, own):
		case isSecond(line):
			out = append(out, line)
		case utf8.RuneCountInString(line) > longestKey && letters(line) >= leastLetters:
			long = append(long, texts(line)...)
		}
	}
	if len(out) == 0 {
		out = long
	}
	if !isWordy(key) { // then the line is all that names it
		hasNumber := func(line string) int { return min(1, len(number.FindString(line))) }
		slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(hasNumber(a), hasNumber(b)) })
	}
	return out[:min(len(out), most)]
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
func (p *picker) inner(a *html.Node, positions []string) (out []aTest) {
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
	if least := p.least(); least != n && isName(least.Data) && least.DataAtom != atom.Div && least.DataAtom != atom.Span {
		out = append(out, aTest{" " + least.Data, "a part of "})
	}
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
	for _, position := range positions {
		out = append(out, aTest{position, "the " + ordinal(n) + " part of "})
	}
	return out
}

// least returns the innermost element that shows all that the element does.
func (p *picker) least() *html.Node {
	n := p.n
	for c := n.FirstChild; c != nil; {
		if c.Type == html.ElementNode && p.isSame(c) {
			n, c = c, c.FirstChild
		} else {
			c = c.NextSibling
		}
	}
	return n
}

// positionsIn returns what finds the element by its position in a row or an entry around it, counted from both ends, so
// that it finds nothing if parts come or go: with those elements around it that have others beside them, and with all.
// It returns none if the element stands in a list in that.
func (p *picker) positionsIn(a *html.Node) []string {
	const few, list, steps = 20, 3, 5
	if p.isSame(a) || !selector.IsRow(a) && !selector.IsEntry(a) {
		return nil
	}
	least := p.least()
	if same, _ := position(p.n); p.n.Parent == a && selector.IsRow(a) && same <= few {
		return []string{" > " + step(p.n)}
	}
	short, full, counted := "", "", 0
	for n := least; n != a; n = n.Parent {
		same, at := position(n)
		isMoved := n.DataAtom == atom.Li && same > 1 ||
			n.DataAtom != atom.Span && !selector.IsCell(n) && len(p.siblings(n, list)) >= list
		if isMoved || selector.IsRow(n) || same > few || !isName(n.Data) || counted == steps {
			return nil
		}
		here := " " + n.Data + ":only-of-type"
		if same > 1 {
			here = fmt.Sprintf(" %s:nth-of-type(%d):nth-last-of-type(%d)", n.Data, at, same-at+1)
		}
		if full = " >" + here + full; same > 1 || n == least {
			short = here + short
			counted++
		}
	}
	return []string{short, full}
}

// addPositions notes what finds an element if its name in the markup is not there any more: its position.
func (p *picker) addPositions(base, in string, positions []string) {
	if !strings.Contains(in, ".") && !strings.Contains(in, "[class*=") || slices.Contains(positions, in) {
		return
	}
	if p.known == nil {
		p.known = map[string][]withPosition{}
	}
	for _, position := range positions {
		whole := base + in + ", " + base + ":not(:has(" + strings.TrimSpace(in) + "))" + position
		p.known[base+in] = append(p.known[base+in], withPosition{base + position, whole})
	}
}

// withPosition is a selector by a position, and one by a name in the markup, or else by that position.
type withPosition struct{ position, whole string }

// containers returns what finds an element around a.
func (p *picker) containers(a *html.Node) (out []aTest) {
	const most = 4
	for up := a.Parent; up != nil && up.Type == html.ElementNode && len(out) < most; up = up.Parent {
		if up.DataAtom == atom.Body || up.DataAtom == atom.Html || !isName(up.Data) || selector.IsRow(up) {
			continue
		}
		head := p.page.Head(up)
		if head == "" && selector.IsEntry(up) {
			head = p.firstName(up)
		}
		if len(keys(head)) > 0 {
			t := namedTest(keys(head)[0])
			out = append(out, aTest{up.Data + t.test, "the " + noun(up) + " " + t.words})
		}
		own, id := p.namesIn(up)
		if id != "" {
			out = append(out, aTest{id, id})
		}
		if up.DataAtom == atom.Table || up.DataAtom == atom.Ul || up.DataAtom == atom.Ol || up.DataAtom == atom.Dl {
			for _, h := range p.underOf(up, 1) {
				out = append(out, aTest{up.Data + h.test, "the " + noun(up) + " " + h.words})
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

// behind returns selectors by the heading directly before the element.
func (p *picker) behind() (out []Way) {
	h := elementBefore(p.n)
	if h == nil || !dom.IsHeading(h.DataAtom) || selector.IsEntry(p.n) || !isName(p.n.Data) {
		return nil
	}
	for _, key := range keys(p.page.Text(h)) {
		out = append(out, Way{Selector: h.Data + namedTest(key).test + " + " + p.n.Data,
			Words: "the " + noun(p.n) + " behind “" + key + "”", By: ByHeading})
	}
	return out
}

func elementBefore(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
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
	if len(lines) == 1 {
		if row := rowKey(lines[0]); row != "" {
			return namedTest(row), true
		}
	}
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
		case name[0] == '.' && p.isCountedClass(name[1:]):
		case name[0] == '.' && p.stem(name[1:]) != "":
			own = append(own, `[class*="`+p.stem(name[1:])+`"]`)
		case name[0] != '#':
			own = append(own, name)
		}
	}
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		if stem := p.stem(class); stem != "" && len(own) == 0 && !isState(strings.Trim(stem, "-_")) {
			own = append(own, `[class*="`+stem+`"]`)
		}
	}
	return own, id
}

// isAttribute reports whether a name in the markup is an attribute other than a class.
func isAttribute(name string) bool { return name[0] == '[' && !strings.HasPrefix(name, "[class") }

// stem returns the part of a class that stays when a program gives it another suffix; "" if it has none.
func (p *picker) stem(class string) string { return p.suffixes().stem(class) }

// suffixes returns what is known of the endings of the classes of the page, which is found out once.
func (p *picker) suffixes() *suffixes {
	if p.made == nil {
		p.made = suffixesOf(p.root)
	}
	return p.made
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

// isCountedClass reports whether a class ends in a number, and another class of the page only differs by it.
func (p *picker) isCountedClass(class string) bool {
	stem, has := cutNumber(class)
	return has && len(p.suffixes().counted[stem]) > 1
}

func cutNumber(value string) (stem string, has bool) {
	stem = strings.TrimRight(value, "0123456789")
	return stem, stem != value
}
