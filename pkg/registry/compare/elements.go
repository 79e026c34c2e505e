package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// maxElementLines limits the number of lines of a page that are listed at once.
const maxElementLines = 300

// Elements are the lines of a captured page, with the elements that can be chosen.
type Elements struct {
	Capture snapshot.Capture
	Lines   []pick.Line
	Total   int    // number of lines that the page has, or that hold the text that was asked for
	Cut     string // what of the page is not among them; empty if nothing is missing
	Why     string // why the capture has no elements to choose; empty if it has
}

// Elements lists the lines of a capture; of the current one if the digest is empty. If find is not empty, only lines
// with that text are listed, whatever its case.
func (c *Comparer) Elements(ctx context.Context, p history.Past, digest, find string) (out Elements, err error) {
	if digest == "" {
		if digest, err = p.Current(); err != nil {
			return out, err
		}
	}
	v, err := load(ctx, p, digest)
	if out.Capture = v.capture; err != nil {
		return out, err
	}
	if v.root == nil {
		out.Why = noElements(v.capture)
		return out, nil
	}
	for _, l := range pick.Read(v.root).Lines {
		if find != "" && !l.Has(find) {
			continue
		}
		if out.Total++; out.Total <= maxElementLines {
			out.Lines = append(out.Lines, l)
		}
	}
	out.Cut = cutOf(v.cut, out)
	return out, nil
}

// cutOf says what of a page is not listed: what was not read of it, and what is left out of the list.
func cutOf(unread string, listed Elements) string {
	var all []string
	if unread != "" {
		all = append(all, unread)
	}
	if listed.Total > maxElementLines {
		all = append(all, fmt.Sprintf("the first %d of %d texts are listed", maxElementLines, listed.Total))
	}
	if slices.ContainsFunc(listed.Lines, func(l pick.Line) bool { return l.More }) {
		all = append(all, fmt.Sprintf("of some texts, only the first %d parts are listed", pick.MaxParts))
	}
	return strings.Join(all, "; ")
}

func noElements(c snapshot.Capture) string {
	return fmt.Sprintf("this is %.60s, not a web page that can be parsed: it has no elements to choose. Lines of its "+
		"text "+
		"can be ignored by a pattern", cmp.Or(c.MimeType, "of an unknown type"))
}

// version is a capture with the tree of its page.
type version struct {
	capture snapshot.Capture
	root    *html.Node // nil if the capture is not a page with elements
	cut     string
}

func load(ctx context.Context, p history.Past, digest string) (v version, err error) {
	if !history.IsDigest(digest) {
		return v, fault.Field("capture", "capture is not 64 hexadecimal digits")
	}
	c, body, err := p.Load(ctx, digest)
	if err != nil {
		return v, err
	}
	v.capture = c
	v.root, v.cut, err = web.SelectorTree(body, c.ContentType(), history.BaseURL, extract.Limits{})
	return v, err
}

// Choice is an element of a capture that somebody chose, and what to do with it.
type Choice struct {
	Capture string // digest
	Element int    // number in the list of [Comparer.Elements]
	Larger  int    // how many times the choice was made larger
	As      string // "only" and "also" watch it with its value, "value" its value alone, "out" excludes it
}

// Chosen is what is known about a [Choice].
type Chosen struct {
	pick.Way
	Text   string          // what the element shows in its capture
	Larger bool            // a larger element can be chosen
	Value  *field.Proposal // the value that it shows; nil for none
}

// choose makes a selector for a choice. Of those that find the element alone in its capture, it returns the one that
// finds it in most of the other captures.
func choose(ctx context.Context, p history.Past, q Choice, captures []snapshot.Capture) (out Chosen, err error) {
	v, err := load(ctx, p, q.Capture)
	if err != nil {
		return out, err
	}
	if v.root == nil {
		return out, fault.Field("element", "%s", noElements(v.capture))
	}
	page := pick.Read(v.root)
	n := page.Element(q.Element)
	if n == nil {
		return out, fault.Field("element", "the capture has no element %d: list its elements again", q.Element)
	}
	const deepest = 512
	for range min(q.Larger, deepest) {
		up := page.Larger(n)
		if up == nil {
			break
		}
		n = up
	}
	way, ok := pick.Choose(v.root, n, func(yield func(*html.Node) bool) {
		for _, c := range captures {
			other, loadErr := load(ctx, p, history.Digest(c.RawHash))
			if loadErr != nil && !fault.Is(loadErr, fault.NotFound) {
				err = loadErr
				return
			}
			if other.root != nil && !yield(other.root) {
				return
			}
		}
	})
	if err == nil && !ok {
		err = fault.Field("element", "no selector finds this element alone: it is too deep in the page, or beside too "+
			"many others: choose a larger part, or write a selector")
	}
	out = Chosen{Way: way, Text: pick.Text(n), Larger: page.Larger(n) != nil}
	address := cmp.Or(v.capture.FetchURL, v.capture.CanonicalURI)
	if value, ok := field.NewPage(v.root, jsonld.Data{}, address).Propose(way.Selector); ok {
		out.Value = &value
	}
	return out, err
}
