package verdict

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Reader says how the content of an answer is to be read.
type Reader int

// The ways to read an answer.
const (
	ReadPlain    Reader = iota // as the server sent it
	ReadIfThin                 // as the server sent it, unless that turns out to be thin
	ReadRendered               // in a browser
	ReadKnown                  // not at all: the known content was rendered from the same bytes
)

// ReaderOf decides how an answer is read under a mode of rendering, [options.RenderNever] or another. The plain answer
// comes first, because it is cheap: only another one than that from which the content was rendered is rendered again.
func (b Basis) ReaderOf(it *registry.Item, got Answer, mode string) Reader {
	resp, known := got.Response, it.Rendering
	switch {
	case mode == options.RenderNever, got.File != nil, resp.NotModified, !resp.OK(), resp.NotFollowed != nil,
		resp.Encoding != "", !web.IsHTML(mimeType(resp.Header.Get("Content-Type"))):
		return ReadPlain
	case mode == options.RenderAlways:
		return ReadRendered
	case !known.IsRendered():
		if it.Thin != "" && got.Raw == it.RawHash && known.Needless != it.ContentHash {
			return ReadRendered // it is known to be thin, and no browser has read it
		}
		return ReadIfThin
	case got.Raw == known.Plain && b.conditional(it) && !it.Collapse.Waits() && finalURL(resp) == it.HTTPFinalURL:
		return ReadKnown
	}
	return ReadRendered
}

// RendersThin reports whether a plain reading is thin, and not known to say the same in a browser.
func RendersThin(it *registry.Item, r Reading) bool {
	return r.Unreadable == nil && r.Doc.Thin != "" && it.Rendering.Needless != r.Hash
}

// NeedsBody reports whether a check needs the plain answer itself, because a browser is to read it.
func NeedsBody(it *registry.Item, mode string) bool {
	thin := it.Thin != "" && !it.Rendering.IsRendered() && it.Rendering.Needless != it.ContentHash
	return mode == options.RenderAlways || mode == options.RenderThin && thin
}

// IsBaseline reports whether a reading cannot be compared with the known content because one of the two is rendered
// and the other is not, for another reason than a change of the page.
func IsBaseline(it *registry.Item, rendered bool, mode string) bool {
	if it.RawHash == "" || it.Rendering.IsRendered() == rendered {
		return false
	}
	return !rendered && mode == options.RenderNever || rendered && (mode == options.RenderAlways || it.Thin != "")
}

// SameAsPlain reports whether a page says in a browser what its plain answer says. A page that was not read as a whole
// proves nothing.
func SameAsPlain(plain, rendered Reading, seen registry.Rendering) bool {
	for _, r := range seen.Refused {
		if r.Reason == "robots" || r.Reason == "host" || r.Reason == "bound" {
			return false
		}
	}
	return plain.Unreadable == nil && rendered.Unreadable == nil && plain.Hash == rendered.Hash && len(seen.Met) == 0 &&
		seen.Failed == 0
}

// WhyRendered says for people why a page was read in a browser.
func WhyRendered(mode, thin string) string {
	if mode == options.RenderAlways {
		return "read in a browser: always, as set"
	}
	return strings.TrimSpace("read in a browser: " + thin)
}
