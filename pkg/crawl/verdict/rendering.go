package verdict

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// This file decides which pages are read in a browser, and what is known of a page after that. Its functions
// are pure: they take the item, what people have set for it, and the time.
//
// A page that has its content by scripts only is read in a browser (R3). The plain answer comes first, because it is
// cheap: a page whose plain answer is readable, or is the one that the known content was rendered from, is not
// rendered. But a page may also change its data and not its HTML. So an unchanged page is rendered now and then, and
// at each check once its data was seen to change alone.

// RenderingPolicy is what decides whether an item is rendered, beside the item.
type RenderingPolicy struct {
	Options options.Effective // the options that people have set for the item
	Browser bool              // whether there is a browser
}

// Reader says how the content of an answer is to be read.
type Reader int

// The ways to read an answer.
const (
	ReadPlain    Reader = iota // as the source sent it
	ReadIfThin                 // as the source sent it, unless that is thin
	ReadRendered               // in a browser
)

// ReaderOf decides how an answer of an item's site is read.
func (p RenderingPolicy) ReaderOf(it *registry.Item, resp fetch.Response) Reader {
	switch mode := p.Mode(it); {
	case mode == options.RenderNever, it.Type == source.File, resp.NotFollowed != nil, resp.Encoding != "",
		!isPage(resp):
		return ReadPlain
	case mode == options.RenderAlways:
		return ReadRendered
	}
	return ReadIfThin
}

// isPage reports whether an answer is a web page, by its header or, if that does not say, by how the body begins.
func isPage(resp fetch.Response) bool {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if t == "" {
		t, _, _ = mime.ParseMediaType(http.DetectContentType(resp.Body))
	}
	return web.IsHTML(t)
}

// Mode returns when the item is to be rendered. Without a setting, that is when it is thin, if there is a browser. A
// page that was rendered is not read without one just because the browser is gone.
func (p RenderingPolicy) Mode(it *registry.Item) string {
	switch {
	case p.Options.Render != "":
		return p.Options.Render
	case p.Browser, it.Rendering.IsRendered():
		return options.RenderThin
	}
	return options.RenderNever
}

const (
	needlessFor = 30 * 24 * time.Hour // how long it is believed that a thin page shows no more in a browser
	mostSkipped = 15                  // checks in a row that do not render a page whose plain answer stays the same
	longestSkip = 7 * 24 * time.Hour
)

// IsNeedless reports whether a plain reading with the given hash is known to say what the page says in a browser. One
// that has hardly any text there either may get some later without another plain answer. So it is looked at again where
// people wait for that.
func (p RenderingPolicy) IsNeedless(it *registry.Item, hash string, now time.Time) bool {
	return it.Rendering.Needless == hash && now.Sub(it.Rendering.At) < needlessFor &&
		(it.Thin == "" || !p.isWished(it, now))
}

// needsBody reports whether a check needs the plain answer itself, because a browser is to read it or, where none may
// any more, because its content is to take the place of the rendered one.
func (p RenderingPolicy) needsBody(it *registry.Item, now time.Time) bool {
	known := it.Rendering
	switch mode := p.Mode(it); {
	case it.Type == source.File:
		return false
	case mode == options.RenderAlways:
		return true
	case mode == options.RenderNever:
		return known.IsRendered()
	case !known.IsRendered():
		return (it.Thin != "" || known.Needless != "") && !p.IsNeedless(it, it.ContentHash, now)
	}
	return p.isDue(it, now)
}

// isDue reports whether a rendered page is to be rendered again even if its plain answer is the same.
func (p RenderingPolicy) isDue(it *registry.Item, now time.Time) bool {
	known, set := it.Rendering, p.Options
	if every := options.RenderEvery(set.Rendering); every > 0 {
		return now.Sub(known.At) >= every
	}
	return p.isWished(it, now) || known.Apart || known.Skipped >= min(1<<min(known.Same, 8)-1, mostSkipped) ||
		now.Sub(known.At) >= longestSkip
}

// isWished reports whether people want a check to render a page: they have said what they watch, or how often it is
// checked; or the check comes long before its time, because somebody asks for it.
func (p RenderingPolicy) isWished(it *registry.Item, now time.Time) bool {
	interval, set := time.Duration(it.CrawlIntervalSeconds)*time.Second, p.Options
	early := now.Before(it.LastChecked.Add(interval * 3 / 4))
	return early || set.Watch != nil || set.Interval != nil || set.Schedule != nil
}

// IsBaseline reports whether a reading cannot be compared with the known content, because one of the two is rendered
// and the other is not, for another reason than a change of the page.
func (p RenderingPolicy) IsBaseline(it *registry.Item, rendered bool) bool {
	if it.RawHash == "" || it.Rendering.IsRendered() == rendered {
		return false
	}
	mode := p.Mode(it)
	if rendered { // what is known of a needless page is what the browser showed
		return it.Rendering.Needless == "" && (mode == options.RenderAlways || it.Thin != "")
	}
	return mode == options.RenderNever || it.Rendering.Always
}

// Why says for people why a page is read in a browser.
func (p RenderingPolicy) Why(it *registry.Item, thin string) string {
	if p.Mode(it) == options.RenderAlways {
		return "it is set to be read in a browser always"
	}
	return strings.TrimSpace("without its scripts it has little text: " + thin)
}

// IsWhole reports whether a page was read as a whole. Only then does it prove that it says no more than its plain
// answer.
func IsWhole(seen registry.Rendering) bool {
	for _, r := range seen.Refused {
		if r.Reason == "robots" || r.Reason == "host" || r.Reason == "bound" {
			return false
		}
	}
	return len(seen.Met) == 0 && seen.Failed+seen.Waiting+seen.Errors == 0 && seen.NotReady == "" && !seen.PictureOnly
}

// samePlain reports whether the body with a hash is the one that the known content was read from.
func samePlain(it *registry.Item, hash string) bool {
	if it.Rendering.IsRendered() {
		return hash == it.Rendering.Plain
	}
	return hash == it.RawHash
}

// Seen is what a check has found out by rendering a page, or by not rendering it.
type Seen struct {
	Shown    *registry.Rendering // what a browser has shown; nil if none has read the page
	Needless string              // the hash of a plain reading that says the same
	Baseline bool                // the reading cannot be compared with the known content
}

// Taken says what became of a reading.
type Taken struct {
	Plain string // the hash of the plain body, if the reading is rendered
	Known bool   // the content is the known one, or is from now on
	Same  bool   // no change was found
}

// Note records how an item's content was read, once it is known what to think of it. The item was as the argument was
// before that.
func (s Seen) Note(was, it registry.Item, got Taken, now time.Time) registry.Item {
	known := was.Rendering
	switch {
	case s.Shown == nil && got.Known && (known.IsRendered() || known.Needless != ""):
		return s.notePlain(known, it, now)
	case s.Shown == nil:
	case s.Needless != "":
		it.Rendering = *s.Shown
		it.Rendering.Plain, it.Rendering.Needless = "", s.Needless
	default:
		it.Rendering = s.next(known, got, now)
		if s.Baseline && got.Known {
			it.Record(now, "rendered", "read in a browser from now on, because "+s.Shown.Why+
				": its content is a new baseline, and no change")
		}
		if why := s.Shown.Missing(); why != "" && why != known.Missing() {
			it.Record(now, "rendered", why)
		}
	}
	return it
}

// notePlain records that the content is that of a plain answer.
func (s Seen) notePlain(known registry.Rendering, it registry.Item, now time.Time) registry.Item {
	it.Rendering = registry.Rendering{}
	switch {
	case s.Baseline:
		it.Record(now, "rendered", "read without a browser from now on: its content is a new baseline, and no change")
	case known.IsRendered():
		it.Record(now, "rendered", "it can be read without a browser now")
	case known.Needless == it.ContentHash:
		it.Rendering = known // it still says what it says in a browser
	}
	return it
}

// next returns what is known of a page after another render.
func (s Seen) next(known registry.Rendering, got Taken, now time.Time) registry.Rendering {
	next := *s.Shown
	next.At, next.Apart, next.Same = now, known.Apart, known.Same
	switch {
	case !got.Known:
		next.Plain, next.URL = known.Plain, known.URL // the next check tries again
	case known.Plain != got.Plain || s.Baseline:
	case got.Same:
		next.Same++
	default:
		next.Apart, next.Same = true, 0
	}
	return next
}
