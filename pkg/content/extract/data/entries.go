package data

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Chooser finds the entries of a list in JSON.
type Chooser = func(root *jsonpath.Node) ([]*jsonpath.Node, error)

// JSONEntries returns the entries of a list in JSON: of those that a chooser finds, and of a JSON Feed without one.
// Each is an address, or an object with one. The result ok is false if the text is not JSON.
func JSONEntries(text string, lines bool, base *url.URL, o Options, choose Chooser) (out extract.Entries, ok bool,
	err error) {
	root, ok := parseJSON(text, lines, o.Cut)
	if !ok {
		return out, false, nil
	}
	var found []*node
	switch {
	case choose != nil:
		source := map[*jsonpath.Node]*node{}
		chosen, err := choose(root.tree(source))
		if err != nil {
			return out, true, err
		}
		for _, n := range chosen {
			found = append(found, source[n])
		}
	case strings.Contains(textOf(root, "version"), "jsonfeed.org/version/"):
		for _, kid := range root.kids {
			if kid.name == "items" {
				found = kid.kids
			}
		}
	default:
		out.Why = "JSON needs a JSONPath of its entries, such as $.items[*]"
		return out, true, nil
	}
	l := list{base: base, owners: map[string][]*node{}}
	l.addValues(root, found)
	out = l.entries
	if len(out.All) == 0 && len(found) > 0 {
		out.Why = "none of the values that the path finds is an address, or has one"
	}
	out.Rest = func(without map[string]bool) ([]string, bool) {
		again, ok := parseJSON(text, lines, o.Cut)
		if !ok {
			return nil, false
		}
		again.without(l.outside(root, again, without))
		return linesOf(writeJSON(again, o)), true
	}
	return out, true, nil
}

// FeedEntries returns the entries of a feed. The result ok is false for another text.
func FeedEntries(text string, base *url.URL, o Options) (out extract.Entries, ok bool) {
	root, ok := parseXML(text, o.Cut)
	if !ok {
		return out, false
	}
	f, ok := feedOf(root)
	if !ok {
		return out, false
	}
	l := list{base: base, owners: map[string][]*node{}}
	for _, n := range f.entries {
		title := plain(textOf(n, "title"))
		about := bestText(n)
		text := title
		if about != nil {
			text += " " + plain(contentOf(about))
		}
		l.add(linkOf(n), title, text, n)
	}
	out = l.entries
	out.Rest = func(without map[string]bool) ([]string, bool) {
		outside := map[*node]bool{}
		for address := range without {
			for _, n := range l.owners[address] {
				outside[n] = true
			}
		}
		kept := feed{about: f.about}
		for _, n := range f.entries {
			if !outside[n] {
				kept.entries = append(kept.entries, n)
			}
		}
		return linesOf(kept.write(newWriter("application/xml", o))), true
	}
	return out, true
}

// linkOf returns the address of an entry of a feed.
func linkOf(n *node) string {
	first := ""
	for _, kid := range n.kids {
		if kid.name != "link" {
			continue
		}
		address, rel := strings.TrimSpace(kid.text), textOf(kid, "rel")
		if href := textOf(kid, "href"); href != "" {
			address = href
		}
		if address != "" && (rel == "" || rel == "alternate") {
			return address
		}
		if first == "" && rel != "self" && rel != "edit" {
			first = address
		}
	}
	if first != "" {
		return first
	}
	for _, name := range []string{"origLink", "guid", "id"} {
		if id := textOf(n, name); strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") {
			return id
		}
	}
	return ""
}

// list collects entries, one for each address.
type list struct {
	base    *url.URL
	entries extract.Entries
	owners  map[string][]*node // the values that show the entry at an address
}

func (l *list) add(ref, title, text string, owner *node) {
	address := webAddress(l.base, ref)
	if address == "" {
		return
	}
	owners, known := l.owners[address]
	if l.owners[address] = append(owners, owner); known {
		return
	}
	if len(l.entries.All) == extract.MaxEntries {
		l.entries.More++
		return
	}
	l.entries.All = append(l.entries.All, extract.Entry{URL: address,
		Title: dom.Clip(dom.Fold(title), extract.MaxLinkText),
		Text:  dom.Clip(dom.Fold(text), extract.MaxEntryText)})
}

// webAddress returns an address that can be requested, without its fragment; "" if a reference is not one.
func webAddress(base *url.URL, ref string) string {
	u := source.Resolve(base, strings.TrimSpace(ref))
	if u == nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	return source.WithoutSession(u.String())
}

// addresses are the names of members that hold the address of an object, best first: that of its page before that of
// its data.
var addresses = []string{"html_url", "web_url", "permalink", "url", "link", "href", "canonical_url", "external_url",
	"loc", "uri"}

// addValues adds values of JSON: addresses, objects with one, and lists of these.
func (l *list) addValues(root *node, found []*node) {
	chosen := map[*node]bool{}
	for _, n := range found {
		chosen[n] = true
	}
	var walk func(n, parent *node)
	walk = func(n, parent *node) {
		if !chosen[n] {
			for _, kid := range n.kids {
				walk(kid, n)
			}
			return
		}
		l.value(n, parent, chosen)
	}
	walk(root, nil)
}

func (l *list) value(n, parent *node, chosen map[*node]bool) {
	switch {
	case n.list:
		for _, kid := range n.kids {
			l.value(kid, n, chosen)
		}
	case !n.isLeaf():
		for _, name := range addresses {
			if ref := textOf(n, name); webAddress(l.base, ref) != "" {
				l.add(ref, titleOf(n), shown(n), n)
				return
			}
		}
	case n.kind == jsonpath.String:
		owner := n
		other := func(kid *node) bool { return kid != n && chosen[kid] }
		if parent != nil && !parent.list && !slices.ContainsFunc(parent.kids, other) {
			owner = parent
		}
		l.add(n.text, titleOf(owner), shown(owner), owner)
	}
}

// shown returns the texts of a value, as one.
func shown(n *node) string {
	if n.isLeaf() {
		return n.text
	}
	var texts []string
	for _, kid := range n.kids {
		if kid.isLeaf() && kid.text != "" && len(texts) < 20 {
			texts = append(texts, label(kid.name, kid.text))
		}
	}
	return strings.Join(texts, " · ")
}

// outside returns the values of a second reading of a document that show the entries at some addresses.
func (l *list) outside(root, again *node, without map[string]bool) map[*node]bool {
	owners, out := map[*node]bool{}, map[*node]bool{}
	for address := range without {
		for _, n := range l.owners[address] {
			owners[n] = true
		}
	}
	var walk func(a, b *node)
	walk = func(a, b *node) {
		if owners[a] {
			out[b] = true
			return
		}
		for i, kid := range a.kids {
			walk(kid, b.kids[i])
		}
	}
	walk(root, again)
	return out
}

// linesOf returns the lines of a document.
func linesOf(doc extract.Document) []string { return strings.Split(doc.Text, "\n") }
