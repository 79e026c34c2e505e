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
	"github.com/tidemark/tidemark/pkg/content/extract/web"
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
