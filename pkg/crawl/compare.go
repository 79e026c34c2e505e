package crawl

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// What an item's history says about checks that are "unchanged". With the first two the server said
// so, with the third the same body came again; archives have records for these.
const (
	WhyNotModified = "304: the site says nothing has changed"
	WhyValidators  = "HEAD: the validators are those we know"
	WhySameBytes   = "the same bytes as before"
	WhySameContent = "other bytes, the same content"

	whySameProperties = "the file's properties are those we know"
)

// compareAnswer decides what an answer means that need not be read: by its status, its header and its
// bytes. Undecided, the body has to be read.
func compareAnswer(it registry.Item, got fetched, m memory, now time.Time) (registry.Item, outcome) {
	resp := got.resp
	switch {
	case resp.NotModified:
		return notModified(it, got, m, now)
	case got.file != nil && got.file.TooLarge:
		return tooLarge(it, got, now)
	case resp.Status == http.StatusNotFound || resp.Status == http.StatusGone:
		return it, missing(fmt.Sprintf("HTTP %d", resp.Status))
	case isPause(resp):
		o := failed("HTTP %d: the host is left alone for %s", resp.Status, pauseOf(resp).Round(time.Second))
		o.retryAfter = pauseOf(resp)
		return it, o
	case resp.Status != http.StatusOK:
		o := failed("HTTP %d %s", resp.Status, http.StatusText(resp.Status))
		o.retryAfter = resp.RetryAfter
		return it, o
	case resp.Encoding != "":
		return it, failed("the body is in a content encoding that is not known: %.100q", resp.Encoding)
	}
	// The header may speak about the same bytes differently; then the exclusion decides.
	spoken := headerExcludes(&it) || resp.Header.Get("X-Robots-Tag") != ""
	// A relative rel=canonical means something else at another address.
	if got.raw == it.RawHash && !spoken && m.conditional(&it) && finalURL(resp) == it.HTTPFinalURL {
		it.Unreadable = registry.Unreadable{}
		return noteValidators(stands(it), got), unchanged(WhySameBytes)
	}
	if m.isUnreadable(&it, got, now) {
		noteUnreadableValidators(&it.Unreadable, got)
		return it, failed("%s", it.Unreadable.Why)
	}
	return it, outcome{}
}

// notModified decides about an answer without a body. Its header may forbid indexing what was allowed:
// a site's configuration changes without its pages.
func notModified(it registry.Item, got fetched, m memory, now time.Time) (registry.Item, outcome) {
	if m.knowsUnreadable(&it, now) {
		return it, failed("%s", it.Unreadable.Why)
	}
	it = stands(it)
	said := robots.ParseDirectives(got.resp.Header.Values("X-Robots-Tag"), m.rules.agent, now)
	refresh := outcome{kind: schedule.Unchanged, refresh: true}
	switch {
	case it.Exclusion == "" && said.NoIndex:
		it.Exclusion = exclusionHeader
		return it, refresh
	case it.ImageCount > 0 && said.NoImageIndex:
		// The page is indexed once more without its images. Its text comes from the snapshot.
		it.ImageExclusion = exclusionImageHeader
		it.Record(now, "images", exclusionImageHeader)
		return it, refresh
	case got.file != nil:
		return it, unchanged(whySameProperties)
	case got.resp.Status == http.StatusOK:
		return it, unchanged(WhyValidators)
	}
	return it, unchanged(WhyNotModified)
}

// same reports whether a body has nothing for the index that it would not hold already.
func (m memory) same(it *registry.Item, r read) bool {
	return r.hash == it.ContentHash && r.exclusion == it.Exclusion && r.imagesHash == it.ImagesHash && m.conditional(it)
}

// isKnown reports whether a body says nothing new: at most its bytes are others.
func (m memory) isKnown(it *registry.Item, r read, now time.Time) bool {
	return m.same(it, r) && m.watch.sameWatched(it, r.part) &&
		m.canonicalURL(it, r.doc) == it.HTTPCanonicalURL && saidOf(r.doc, now) == knownToSay(it)
}

// isFailure reports whether a body is shown in place of a page. Who insists takes it for one.
func (m memory) isFailure(got fetched, r read) bool {
	return r.doc.Failure != "" && got.file == nil && !m.forced
}

// compare decides what a body means: that it cannot be read, the same content, a page that does not
// exist, or news; see [memory.compareNews]. The item takes over what is new.
func compare(it registry.Item, got fetched, r read, m memory, now time.Time) (registry.Item, outcome) {
	if r.unreadable != nil {
		it.SetError(r.unreadable.Error())
		it.Unreadable = m.unreadable(got, r.unreadable, it.ErrorMessage, now)
		return it, failed("%v", r.unreadable)
	}
	known := m.isKnown(&it, r, now)
	it.Unreadable = registry.Unreadable{}
	if known {
		it = noteValidators(it, got)
		noteThin(&it, r.doc, now)
		it.ImageExclusion, it.States = r.imageExclusion, m.states(&it, r)
		noteMetadata(&it, r.doc, now)
		return it, unchanged(WhySameContent)
	}
	if why := m.soft404.shownBy(&it, got, r, m); why != "" {
		it.ImageExclusion = "" // a body says all that the page says now
		return it, outcome{kind: looksMissing, why: why}
	}
	if m.isFailure(got, r) {
		return it, failed("HTTP 200, but %s", r.doc.Failure)
	}
	return m.compareNews(it, got, r, now)
}

// isNews reports whether a body can be read and says something new.
func (m memory) isNews(it *registry.Item, r read, now time.Time) bool {
	return r.unreadable == nil && !m.isKnown(it, r, now)
}

// comparesContent reports whether [compare] will compare what a body says with what is known of its item: the words
// of both are needed then.
func (m memory) comparesContent(it *registry.Item, got fetched, r read, now time.Time) bool {
	return m.isNews(it, r, now) && !m.isFailure(got, r) && m.soft404.shownBy(it, got, r, m) == ""
}
