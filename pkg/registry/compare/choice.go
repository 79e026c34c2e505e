package compare

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Choice is an element of a capture that somebody chose, and what to do with it.
type Choice struct {
	Capture string // digest; may be empty for a Text of the current capture
	Element int    // number in the list of [Comparer.Elements]; 0 if Text or Selector names it
	Text    string // what the element shows or is named
	// Selector finds the element. If the watch includes it, the selector that is made takes its place.
	Selector string
	Larger   int    // how many times the choice was made larger
	Scope    string // which of the offers: this, row, alike or column; this if empty
	As       string // "only" and "also" watch it with its value, "value" its value alone, "out" excludes it
}

// isMade reports whether an element was chosen.
func (q Choice) isMade() bool { return q.Element != 0 || q.Text != "" || q.Selector != "" }

// Chosen is what is known about a [Choice].
type Chosen struct {
	Offer                   // the one that was asked for
	Offers  []Offer         // the first one is for the element alone
	Text    string          // what the element shows in its capture
	Instead string          // a selector of the watch whose place the one of the offer takes; empty for none
	Larger  bool            // a larger element can be chosen
	Value   *field.Proposal // the value that the element alone shows; nil for none
}

// Offer is a way to watch what was chosen, and what it would find.
type Offer struct {
	pick.Offer
	pick.Edits
	Text  string // the beginning of what it finds in the capture of the choice
	Shown []int  // numbers of the listed elements that it has in the capture of the choice, at most [maxElementLines]
}

// choose finds the ways to watch a chosen element. The selector for it alone is the one that finds it in most of the
// other captures.
func choose(ctx context.Context, p history.Past, q Choice, captures []snapshot.Capture) (out Chosen, err error) {
	if q.Capture == "" && q.Element == 0 {
		if q.Capture, err = p.Current(); err != nil {
			return out, err
		}
	}
	v, err := load(ctx, p, q.Capture)
	if err != nil {
		return out, err
	}
	var propose func(selector string) (field.Proposal, bool)
	var unread error
	versions := versionsOf(ctx, p, captures, &unread)
	switch address := cmp.Or(v.capture.FetchURL, v.capture.CanonicalURI); {
	case v.root != nil:
		err = out.ofPage(q, v, versions)
		propose = field.NewPage(v.root, jsonld.Data{}, address).Propose
	case v.json != nil:
		err = out.ofJSON(q, v.json, versions)
		propose = field.NewJSON(v.json, address).Propose
	default:
		err = fault.Field("element", "%s", v.why)
	}
	if err = cmp.Or(err, unread); err != nil {
		return out, err
	}
	out.Instead = q.Selector
	if len(out.Offers) == 0 {
		return out, fault.Field("element", "no selector finds this element alone: it is too deep in the page, or beside too "+
			"many others: choose a larger part, or write a selector")
	}
	i := slices.IndexFunc(out.Offers, func(o Offer) bool { return o.Scope == q.Scope || q.Scope == "" })
	if i < 0 {
		return out, fault.Field("scope", "the chosen element is in no list or table for which %.40q can be watched", q.Scope)
	}
	out.Offer = out.Offers[i]
	alone := slices.IndexFunc(out.Offers, func(o Offer) bool { return o.Selector != "" }) // behind the list of a feed
	if value, ok := propose(out.Selector); ok && i == alone {
		out.Value = &value
	}
	return out, nil
}

// ofPage finds the ways to watch an element of a web page, or of a document in the form of one.
func (c *Chosen) ofPage(q Choice, v version, captures iter.Seq[version]) error {
	page := pick.Read(v.root)
	n, err := q.find(v.root, page)
	if err != nil {
		return err
	}
	c.Text, c.Larger = pick.Text(n), page.Larger(n) != nil
	all := Offer{Text: c.Text}
	all.Scope, all.Words, all.By = pick.ScopeAll, "all entries of the feed, of which the new ones are told", pick.ByKey
	inFeed := v.feed != nil && isInEntry(n)
	if inFeed {
		c.Offers = []Offer{all}
	}
	roots := func(yield func(*html.Node) bool) {
		for v := range captures {
			if inFeed {
				c.Offers[0].Times = append(c.Offers[0].Times, len(v.feed))
			}
			if !yield(v.root) {
				return
			}
		}
	}
	for _, o := range pick.Offers(v.root, n, roots) {
		if !inFeed || o.Scope != pick.ScopeAll {
			c.Offers = append(c.Offers, Offer{Offer: o, Edits: pick.Try(v.root, n, o), Text: pick.Text(o.Found[0]),
				Shown: page.Within(o.Found, maxElementLines)})
		}
	}
	return nil
}

// isInEntry reports whether an element of a feed is an entry or stands in one: those are below the title of the feed.
func isInEntry(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Article && n.FirstChild.DataAtom == atom.H2 {
			return true
		}
	}
	return false
}

// ofJSON finds the ways to watch a value of JSON.
func (c *Chosen) ofJSON(q Choice, root *jsonpath.Node, captures iter.Seq[version]) error {
	values := pick.ReadJSON(root)
	n, err := q.findValue(values)
	if err != nil {
		return err
	}
	c.Text, c.Larger = pick.TextOf(n), values.Larger(n) != nil
	for _, o := range values.Offers(n) {
		c.Offers = append(c.Offers, Offer{Offer: o, Edits: values.Try(n, o), Text: pick.TextOf(o.Values[0])})
	}
	for v := range captures {
		for i := range c.Offers {
			o, times := &c.Offers[i], -1
			if v.json != nil {
				found, _ := pick.FindValues(v.json, o.Selector)
				times = len(found)
			}
			o.Times = append(o.Times, times)
		}
	}
	return nil
}

// findValue returns the chosen value of JSON.
func (q Choice) findValue(values *pick.Values) (n *jsonpath.Node, err error) {
	var found []*jsonpath.Node
	switch {
	case q.Selector != "":
		if found, err = values.Find(q.Selector); err != nil || len(found) != 1 {
			return nil, foundSome("selector", len(found))
		}
	case q.Element == 0:
		if found = values.Named(q.Text); len(found) != 1 {
			return nil, namedSome(len(found), q.Text)
		}
	default:
		if found = []*jsonpath.Node{values.Element(q.Element)}; found[0] == nil {
			return nil, noElement(q.Element)
		}
	}
	n = found[0]
	for range min(q.Larger, deepest) {
		up := values.Larger(n)
		if up == nil {
			break
		}
		n = up
	}
	return n, nil
}

// deepest limits how often a choice is made larger.
const deepest = 512

func foundSome(of string, n int) error {
	return fault.Field(of, "the selector finds %d elements: choose one by its number", n)
}

func namedSome(n int, text string) error {
	return fault.Field("text", "%d parts of the page are named %.100q or show it: list its elements, and choose one by "+
		"its number", n, text)
}

func noElement(n int) error {
	return fault.Field("element", "the capture has no element %d: list its elements again", n)
}

// find returns the chosen element.
func (q Choice) find(root *html.Node, page *pick.Page) (n *html.Node, err error) {
	switch {
	case q.Selector != "":
		found, err := pick.Find(root, q.Selector)
		if err != nil || len(found) != 1 {
			return nil, foundSome("selector", len(found))
		}
		n = found[0]
	case q.Element == 0:
		found := page.Named(root, q.Text)
		if len(found) != 1 {
			return nil, namedSome(len(found), q.Text)
		}
		n = found[0]
	default:
		if n = page.Element(q.Element); n == nil {
			return nil, noElement(q.Element)
		}
	}
	for range min(q.Larger, deepest) {
		up := page.Larger(n)
		if up == nil {
			break
		}
		n = up
	}
	return n, nil
}

// versionsOf yields the tree of each capture; none for one that has no elements or is not kept any more. It ends with
// the first error, which it sets.
func versionsOf(ctx context.Context, p history.Past, captures []snapshot.Capture, err *error) iter.Seq[version] {
	return func(yield func(version) bool) {
		for _, c := range captures {
			v, failed := load(ctx, p, history.Digest(c.RawHash))
			if failed != nil && !fault.Is(failed, fault.NotFound) {
				*err = failed
				return
			}
			if !yield(v) {
				return
			}
		}
	}
}
