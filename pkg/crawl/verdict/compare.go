package verdict

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// The history entries of checks that found nothing new. In the first two cases the server reported that nothing had
// changed; in the third, the same body came again. Web archives have records for such checks.
const (
	WhyNotModified = "304: the site says nothing has changed"
	WhyValidators  = "HEAD: the validators are those we know"
	WhySameBytes   = "the same bytes as before"
	WhySameContent = "other bytes, the same content"

	whySameProperties = "the file's properties are those we know"
)

// CompareAnswer decides what can be decided without reading the body: from the status, the header and the bytes. If
// the outcome is undecided, the body must be read.
func CompareAnswer(it registry.Item, got Answer, b Basis, now time.Time) (registry.Item, Outcome) {
	resp := got.Response
	switch {
	case resp.NotModified:
		return notModified(it, got, b, now)
	case got.File != nil && got.File.TooLarge:
		return tooLarge(it, got, now)
	case resp.Status == http.StatusNotFound || resp.Status == http.StatusGone:
		return it, Missing(fmt.Sprintf("HTTP %d", resp.Status))
	case IsPause(resp):
		o := Failed("HTTP %d: the host is left alone for %s", resp.Status, PauseOf(resp).Round(time.Second))
		o.RetryAfter = PauseOf(resp)
		return it, o
	case !resp.OK():
		o := Failed("HTTP %d %s", resp.Status, http.StatusText(resp.Status))
		o.RetryAfter = resp.RetryAfter
		return it, o
	case resp.Encoding != "":
		return it, Failed("the body is in a content encoding that is not known: %.100q", resp.Encoding)
	}
	// A page with the same bytes is unchanged, with two exceptions: there is, or was, an X-Robots-Tag header; or the
	// address of the page is now another, so that a relative rel=canonical refers to another page.
	spoken := headerExcludes(&it) || resp.Header.Get("X-Robots-Tag") != ""
	if got.Raw == it.RawHash && !spoken && b.conditional(&it) && finalURL(resp) == it.HTTPFinalURL {
		it.Unreadable = registry.Unreadable{}
		it.Validators = it.Validators.Whole(now)
		return noteValidators(stands(it), got), Unchanged(WhySameBytes)
	}
	// Bytes that could not be read before still cannot be read.
	if b.isUnreadable(&it, got, now) {
		noteUnreadableValidators(&it.Unreadable, got)
		return it, Failed("%s", it.Unreadable.Why)
	}
	return it, Outcome{}
}

// notModified decides about an answer without a body. The header of the answer may now exclude a page that it did not
// exclude before, because a site's configuration can change while its pages stay the same.
func notModified(it registry.Item, got Answer, b Basis, now time.Time) (registry.Item, Outcome) {
	if b.knowsUnreadable(&it, now) {
		return it, Failed("%s", it.Unreadable.Why)
	}
	it = stands(it)
	it.Validators = it.Validators.Unsent(now)
	said := robots.ParseDirectives(got.Response.Header.Values("X-Robots-Tag"), b.Rules.Agent, now)
	refresh := Outcome{Kind: schedule.Unchanged, Refresh: true}
	switch {
	case it.Exclusion == "" && said.NoIndex:
		it.Exclusion = exclusionHeader
		return it, refresh
	case it.ImageCount > 0 && said.NoImageIndex:
		// The page is indexed again, without its images. The text comes from the snapshot.
		it.ImageExclusion = exclusionImageHeader
		it.Record(now, "images", exclusionImageHeader)
		return it, refresh
	case got.File != nil:
		return it, Unchanged(whySameProperties)
	case got.Response.OK():
		return it, Unchanged(WhyValidators)
	}
	return it, Unchanged(WhyNotModified)
}

// same reports whether the index already contains everything that it would get from a body.
func (b Basis) same(it *registry.Item, r Reading) bool {
	return r.Hash == it.ContentHash && r.Exclusion == it.Exclusion && r.ImagesHash == it.ImagesHash && b.conditional(it)
}

// isKnown reports whether a body contains nothing new, even if its bytes differ.
func (b Basis) isKnown(it *registry.Item, r Reading, now time.Time) bool {
	return b.same(it, r) && b.Watching.sameWatched(it, r.Part) &&
		b.canonicalURL(it, r.Doc) == it.HTTPCanonicalURL && bylineOf(r.Doc, now) == knownToSay(it)
}

// isFailure reports whether a body shows an error message instead of the page. A forced check accepts such a body as
// the page.
func (b Basis) isFailure(got Answer, r Reading) bool {
	return r.Doc.Failure != "" && got.File == nil && !b.Forced
}

// Compare decides, after a body was read, whether the page is unchanged, changed, a soft 404, failed or unreadable.
// It copies anything new into the item.
func Compare(it registry.Item, got Answer, r Reading, b Basis, now time.Time) (registry.Item, Outcome) {
	it = b.compareValidators(it, got, r, now)
	// An unreadable body shows nothing about the page. The item remembers the body, so that it is not read again.
	if r.Unreadable != nil {
		it.SetError(r.Unreadable.Error())
		it.Unreadable = b.unreadable(got, r.Unreadable, it.ErrorMessage, now)
		return it, Failed("%v", r.Unreadable)
	}
	// Different bytes often have the same content. This is compared before Compare decides whether the page exists,
	// because for known content that has been decided before. The unreadable answer is forgotten only afterwards,
	// because isKnown needs it.
	known := b.isKnown(&it, r, now)
	it.Unreadable = registry.Unreadable{}
	if known {
		it = noteValidators(it, got)
		noteThin(&it, r.Doc, now)
		noteCut(&it, r.Doc, now)
		noteUncompared(&it, r, true, now)
		it.ImageExclusion, it.States, it.MainState = r.ImageExclusion, b.states(&it, r), r.Main[:]
		noteMetadata(&it, r.Doc, now)
		return it, Unchanged(WhySameContent)
	}
	// New content may be what the host shows for pages that do not exist, or an error message with status 200.
	// Neither may replace the known content.
	if why := b.Soft404.shownBy(&it, got, r, b); why != "" {
		it.ImageExclusion = "" // the body itself shows whether its images are excluded
		return it, Outcome{Kind: LooksMissing, Why: why}
	}
	if b.isFailure(got, r) {
		return it, Failed("HTTP 200, but %s", r.Doc.Failure)
	}
	// Any other body is the page's present content. compareNews decides whether to believe it, and what in it is new.
	return b.compareNews(it, got, r, now)
}

// IsNews reports whether a body can be read and has new content.
func (b Basis) IsNews(it *registry.Item, r Reading, now time.Time) bool {
	return r.Unreadable == nil && !b.isKnown(it, r, now)
}

// ComparesContent reports whether [Compare] will compare the content of the body with the known content of the item.
// For that, Compare needs the words of both.
func (b Basis) ComparesContent(it *registry.Item, got Answer, r Reading, now time.Time) bool {
	return b.IsNews(it, r, now) && !b.isFailure(got, r) && b.Soft404.shownBy(it, got, r, b) == ""
}
