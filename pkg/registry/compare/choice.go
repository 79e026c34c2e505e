package compare

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
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
	Scope    string // which of the offers: this, alike or column; this if empty
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
	Times []int  // number of elements that it finds in each of the captures; -1 if it is not a page
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
	if v.root == nil {
		return out, fault.Field("element", "%s", noElements(v.capture))
	}
	page := pick.Read(v.root)
	n, err := q.find(v.root, page)
	if err != nil {
		return out, err
	}
	out.Instead = q.Selector
	out.Text, out.Larger = pick.Text(n), page.Larger(n) != nil
	roots := rootsOf(ctx, p, captures, &err)
	for _, o := range pick.Offers(v.root, n, pagesOf(roots)) {
		out.Offers = append(out.Offers, Offer{Offer: o, Edits: pick.Try(v.root, n, o), Text: pick.Text(o.Found[0])})
	}
	for root := range roots {
		for i := range out.Offers {
			o, times := &out.Offers[i], -1
			if root != nil {
				found, _ := pick.Find(root, o.Selector)
				times = len(found)
			}
			o.Times = append(o.Times, times)
		}
	}
	if err != nil {
		return out, err
	}
	if len(out.Offers) == 0 {
		return out, fault.Field("element", "no selector finds this element alone: it is too deep in the page, or beside too "+
			"many others: choose a larger part, or write a selector")
	}
	i := slices.IndexFunc(out.Offers, func(o Offer) bool { return o.Scope == q.Scope || q.Scope == "" })
	if i < 0 {
		return out, fault.Field("scope", "the chosen element is in no list or table for which %.40q can be watched", q.Scope)
	}
	out.Offer = out.Offers[i]
	address := cmp.Or(v.capture.FetchURL, v.capture.CanonicalURI)
	if value, ok := field.NewPage(v.root, jsonld.Data{}, address).Propose(out.Selector); ok && i == 0 {
		out.Value = &value
	}
	return out, nil
}

// find returns the chosen element.
func (q Choice) find(root *html.Node, page *pick.Page) (n *html.Node, err error) {
	switch {
	case q.Selector != "":
		found, err := pick.Find(root, q.Selector)
		if err != nil || len(found) != 1 {
			return nil, fault.Field("selector", "the selector finds %d elements: choose one by its number", len(found))
		}
		n = found[0]
	case q.Element == 0:
		found := page.Named(root, q.Text)
		if len(found) != 1 {
			return nil, fault.Field("text", "%d parts of the page are named %.100q or show it: %s", len(found), q.Text,
				"list its elements, and choose one by its number")
		}
		n = found[0]
	default:
		if n = page.Element(q.Element); n == nil {
			return nil, fault.Field("element", "the capture has no element %d: list its elements again", q.Element)
		}
	}
	const deepest = 512
	for range min(q.Larger, deepest) {
		up := page.Larger(n)
		if up == nil {
			break
		}
		n = up
	}
	return n, nil
}

// rootsOf yields the page of each capture; nil for one that is not a page or not kept any more. It ends with the first
// error, which it sets.
func rootsOf(ctx context.Context, p history.Past, captures []snapshot.Capture, err *error) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for _, c := range captures {
			v, failed := load(ctx, p, history.Digest(c.RawHash))
			if failed != nil && !fault.Is(failed, fault.NotFound) {
				*err = failed
				return
			}
			if !yield(v.root) {
				return
			}
		}
	}
}

// pagesOf yields those that are pages.
func pagesOf(roots iter.Seq[*html.Node]) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for root := range roots {
			if root != nil && !yield(root) {
				return
			}
		}
	}
}
