package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/policy/watch"
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
	if out.Why = v.why; out.Why != "" {
		return out, nil
	}
	lines, by := v.lines()
	for _, l := range lines {
		if find != "" && !l.Has(find) {
			continue
		}
		if out.Total++; out.Total <= maxElementLines {
			l.By = by(l)
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

// lines returns what can be chosen, and what says by what a selector finds it.
func (v version) lines() ([]pick.Line, func(pick.Line) pick.By) {
	if v.json != nil {
		values := pick.ReadJSON(v.json)
		return values.Lines, func(l pick.Line) pick.By { return values.By(values.Element(l.N)) }
	}
	page := pick.Read(v.root)
	return page.Lines, func(l pick.Line) pick.By { return page.By(l.Node) }
}

// version is a capture with the tree of its page.
type version struct {
	capture snapshot.Capture
	root    *html.Node     // of a web page, or of a document in the form of one
	json    *jsonpath.Node // of JSON
	feed    []extract.Entry
	cut     string
	why     string // why it has neither a tree nor JSON
}

func load(ctx context.Context, p history.Past, digest string) (v version, err error) {
	if !history.IsDigest(digest) {
		return v, fault.Field("capture", "capture is not 64 hexadecimal digits")
	}
	c, body, err := p.Load(ctx, digest)
	if err != nil {
		return v, err
	}
	if v.capture = c; !web.IsBinary(body) {
		v.root, v.cut, err = web.SelectorTree(body, c.ContentType(), history.BaseURL, extract.Limits{})
	}
	if err == nil && v.root == nil {
		v.json, _ = web.Values(body, c.ContentType(), history.BaseURL)
	}
	if err == nil && v.root == nil && v.json == nil {
		err = v.readDocument(ctx, p, body)
	}
	return v, err
}

// readDocument reads a document that is neither a web page nor JSON.
func (v *version) readDocument(ctx context.Context, p history.Past, body []byte) error {
	doc, err := p.Read(ctx, v.capture, body)
	switch fault.KindOf(err) {
	case fault.Blocked, fault.Invalid, fault.TooLarge:
		v.why = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	written, why := web.WrittenOf(doc)
	if v.root, v.cut = written.Root, doc.Cut; why != "" {
		v.why = why + ". It has no elements to choose and is watched as a whole"
		return nil
	}
	v.feed, err = entriesOfFeed(body, v.capture.ContentType())
	return err
}

// entriesOfFeed returns the entries of a feed; none of another document.
func entriesOfFeed(body []byte, contentType string) ([]extract.Entry, error) {
	rules, err := watch.Compile(watch.Spec{List: &watch.List{}})
	if err != nil { // Unreachable: no rule is wrong.
		return nil, err
	}
	found, err := web.Entries(body, contentType, history.BaseURL, rules)
	return found.All, err
}
