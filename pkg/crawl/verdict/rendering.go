package verdict

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A page that has its content by scripts only is read in a browser (R3). The plain answer comes first, because it is
// cheap: a page whose plain answer is readable, or is the one that the known content was rendered from, is not
// rendered. But a page may also change its data and not its HTML. So an unchanged page is rendered now and then, and
// at each check once its data was seen to change alone.

// Reader says how the content of an answer is to be read.
type Reader int

// The ways to read an answer.
const (
	ReadPlain    Reader = iota // as the source sent it
	ReadIfThin                 // as the source sent it, unless that is thin
	ReadRendered               // in a browser
)

// ReaderOf decides how an answer with a body is read.
func (b Basis) ReaderOf(it *registry.Item, got Answer) Reader {
	resp, mode := got.Response, b.renderMode(it)
	switch {
	case mode == options.RenderNever, got.File != nil, resp.NotFollowed != nil, resp.Encoding != "",
		!isPage(got):
		return ReadPlain
	case mode == options.RenderAlways:
		return ReadRendered
	}
	return ReadIfThin
}

// isPage reports whether an answer is a web page, by its header or, if that does not say, by how the body begins.
func isPage(got Answer) bool {
	t, _, _ := mime.ParseMediaType(got.Response.Header.Get("Content-Type"))
	if t == "" {
		t, _, _ = mime.ParseMediaType(http.DetectContentType(got.Response.Body))
	}
	return web.IsHTML(t)
}

// renderMode returns when the item is to be rendered. Without a setting, that is when it is thin, if there is a
// browser. A page that was rendered is not read without one just because the browser is gone.
func (b Basis) renderMode(it *registry.Item) string {
	switch {
	case b.Options.Render != "":
		return b.Options.Render
	case b.Rules.Browser, it.Rendering.IsRendered():
		return options.RenderThin
	}
	return options.RenderNever
}

// RendersThin reports whether a plain reading is thin, and not known to say the same in a browser.
func (b Basis) RendersThin(it *registry.Item, plain Reading, now time.Time) bool {
	known := it.Rendering.Needless == plain.Hash && now.Sub(it.Rendering.At) < needlessFor
	return plain.Unreadable == nil && plain.Doc.Thin != "" && !known
}

const (
	needlessFor = 30 * 24 * time.Hour // how long it is believed that a thin page shows no more in a browser
	mostSkipped = 15                  // checks in a row that do not render a page whose plain answer stays the same
	longestSkip = 7 * 24 * time.Hour
)

// needsBody reports whether a check needs the plain answer itself, because a browser is to read it or, where none may
// any more, because its content is to take the place of the rendered one.
func (b Basis) needsBody(it *registry.Item, now time.Time) bool {
	known := it.Rendering
	switch mode := b.renderMode(it); {
	case it.Type == source.File:
		return false
	case mode == options.RenderAlways:
		return true
	case mode == options.RenderNever:
		return known.IsRendered()
	case !known.IsRendered():
		return it.Thin != "" && (known.Needless != it.ContentHash || now.Sub(known.At) >= needlessFor)
	}
	return b.renderDue(it, now)
}

// renderDue reports whether a rendered page is to be rendered again even if its plain answer is the same. Where people
// have said what they watch, or how often it is checked, each check renders.
func (b Basis) renderDue(it *registry.Item, now time.Time) bool {
	known, set := it.Rendering, b.Options
	if every := set.Every(); every > 0 {
		return now.Sub(known.At) >= every
	}
	wished := set.Watch != nil || set.Interval != nil || set.Schedule != nil
	return wished || known.Apart || known.Skipped >= min(1<<min(known.Same, 8)-1, mostSkipped) ||
		now.Sub(known.At) >= longestSkip
}

// IsBaseline reports whether a reading cannot be compared with the known content, because one of the two is rendered
// and the other is not, for another reason than a change of the page.
func (b Basis) IsBaseline(it *registry.Item, rendered bool) bool {
	if it.RawHash == "" || it.Rendering.IsRendered() == rendered {
		return false
	}
	mode := b.renderMode(it)
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
		seen.Failed == 0 && seen.NotReady == "" && !seen.PictureOnly
}

// WhyRendered says for people why a page was read in a browser.
func (b Basis) WhyRendered(it *registry.Item, thin string) string {
	if b.renderMode(it) == options.RenderAlways {
		return "it is set to be read in a browser always"
	}
	return strings.TrimSpace("without its scripts it has little text: " + thin)
}

// NoteShown replaces what the document of a rendered page says of its scripts, which have run.
func NoteShown(doc *extract.Document, pictureOnly bool) {
	switch {
	case pictureOnly:
		doc.Thin = "a browser shows a picture and hardly any text; what the picture says is not read"
	case doc.Thin != "":
		doc.Thin = "it has hardly any text in a browser, too"
	}
}

// samePlain reports whether an answer is the one that the known content was read from.
func samePlain(it *registry.Item, got Answer) bool {
	if it.Rendering.IsRendered() {
		return got.Raw == it.Rendering.Plain
	}
	return got.Raw == it.RawHash
}

// unrendered returns the outcome of a check that rendered nothing, because the plain answer is the known one.
func unrendered(it registry.Item) (registry.Item, Outcome) {
	it.Rendering.Skipped++
	return it, Unchanged("the answer is the one that was rendered before")
}

// noteRendering records how the content was read, once it is known what to think of it.
func (b Basis) noteRendering(was, it registry.Item, got Answer, o Outcome, now time.Time) registry.Item {
	taken := o.Store || o.Known
	switch seen := b.Shown; {
	case seen == nil && (was.Rendering.IsRendered() || was.Rendering.Needless != "") && taken:
		if it.Rendering = (registry.Rendering{}); b.Baseline {
			it.Record(now, "rendered", "read without a browser from now on: its content is a new baseline, and no change")
		} else if was.Rendering.IsRendered() {
			it.Record(now, "rendered", "it can be read without a browser now")
		} else if was.Rendering.Needless == it.ContentHash {
			it.Rendering = was.Rendering // it still says what it says in a browser
		}
	case seen == nil:
	case b.Needless != "":
		it.Rendering = *seen
		it.Rendering.Plain, it.Rendering.Needless = "", b.Needless
	default:
		it.Rendering = b.shownAgain(was, got, o, now)
		if b.Baseline && taken {
			it.Record(now, "rendered", "read in a browser from now on, because "+seen.Why+
				": its content is a new baseline, and no change")
		}
		if why := seen.Missing(); why != "" && why != was.Rendering.Missing() {
			it.Record(now, "rendered", why)
		}
	}
	return it
}

// shownAgain returns what is known of a page after another render.
func (b Basis) shownAgain(was registry.Item, got Answer, o Outcome, now time.Time) registry.Rendering {
	next, known := *b.Shown, was.Rendering
	next.At, next.Apart, next.Same = now, known.Apart, known.Same
	switch taken := o.Store || o.Known; {
	case !taken:
		next.Plain = known.Plain // the next check tries again
	case known.Plain != got.Plain || b.Baseline:
	case o.Kind == schedule.Unchanged:
		next.Same++
	default:
		next.Apart, next.Same = true, 0
	}
	return next
}
