package verdict

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/failure"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/host"
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
	WhySamePlain   = "the same bytes as those that were rendered before"

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
	case resp.Status == http.StatusTooManyRequests && (it.PausedSince.IsZero() || now.Sub(it.PausedSince) < pausedLong):
		return paused(it, PauseOf(resp), now)
	case IsPause(resp):
		o := Failed("HTTP %d: the host is left alone for %s", resp.Status, PauseOf(resp).Round(time.Second))
		o.RetryAfter, o.Of = PauseOf(resp), statusClass(resp.Status)
		return it, o
	case !resp.OK():
		o := Failed("HTTP %d %s", resp.Status, http.StatusText(resp.Status))
		o.RetryAfter, o.Of = resp.RetryAfter, statusClass(resp.Status)
		return it, o
	case (fault.Is(resp.NotFollowed, fault.Unavailable) || fault.Is(resp.NotFollowed, fault.Blocked)) && !b.Forced &&
		it.HTTPFinalURL != "" && it.HTTPFinalURL != finalURL(resp):
		return it, Failed("%v", resp.NotFollowed) // the known content is that of the page it leads to
	case resp.Encoding != "":
		return it, Failed("the body is in a content encoding that is not known: %.100q", resp.Encoding)
	}
	// A page with the same bytes is unchanged, with three exceptions: the header says other things about the page, by
	// X-Robots-Tag or Link; the address of the page is now another, so that a relative rel=canonical refers to another
	// page; or its fields were read last in other bytes.
	spoken := headerExcludes(&it) || resp.Header.Get("X-Robots-Tag") != ""
	spoken = spoken || b.linksElsewhere(&it, got) || fieldsOfOther(&it)
	if samePlain(&it, got.Raw) && !spoken && b.conditional(&it) && finalURL(resp) == it.HTTPFinalURL &&
		!b.Rendering.needsBody(&it, now) {
		it.Unreadable = registry.Unreadable{}
		it.Validators = it.Validators.Whole(now)
		if it = noteValidators(stands(it), got); it.Rendering.IsRendered() {
			it.Rendering.Skipped++
			return it, Unchanged(WhySamePlain)
		}
		return it, known(WhySameBytes)
	}
	// Bytes that could not be read before still cannot be read.
	if b.isUnreadable(&it, got, now) {
		noteUnreadableValidators(&it.Unreadable, got)
		return it, Failed("%s", it.Unreadable.Why)
	}
	return it, Outcome{}
}

// statusClass returns the kind of a failure by the status of an answer, such as http_5xx.
func statusClass(status int) string { return fmt.Sprintf("http_%dxx", status/100) }

// fieldsOfOther reports whether the fields were read last in another body than the stored one, with the same text: then
// the bytes of the stored one are news of them. Rendered bodies nearly always differ, and are rendered again in time.
func fieldsOfOther(it *registry.Item) bool { return it.Fields.Body != "" && !it.Rendering.IsRendered() }

// known returns the outcome of a check whose body has the known content.
func known(why string) Outcome {
	o := Unchanged(why)
	o.Known = true
	return o
}

// pausedLong is how long answers with HTTP 429 are no failed attempts of the page.
const pausedLong = 24 * time.Hour

// paused puts off an item whose site asks for a pause.
func paused(it registry.Item, pause time.Duration, now time.Time) (registry.Item, Outcome) {
	if it.PausedSince.IsZero() {
		it.PausedSince = now
	}
	return it, Outcome{Kind: Paused, RetryAfter: pause,
		Why: fmt.Sprintf("HTTP 429: the host is left alone for %s", pause.Round(time.Second))}
}

// notModified decides about an answer without a body. The header of the answer may now exclude a page that it did not
// exclude before, because a site's configuration can change while its pages stay the same.
func notModified(it registry.Item, got Answer, b Basis, now time.Time) (registry.Item, Outcome) {
	if b.knowsUnreadable(&it, now) {
		return it, Failed("%s", it.Unreadable.Why)
	}
	it = stands(it)
	it.Validators = it.Validators.Unsent(now)
	if it.Rendering.IsRendered() {
		it.Rendering.Skipped++
	}
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

// failure describes what a body shows instead of the page, such as an error message; "" if it shows the page. A forced
// check accepts any body as the page.
func (b Basis) failure(it *registry.Item, got Answer, r Reading) string {
	switch {
	case got.File != nil || b.Forced:
		return ""
	case r.Doc.Failure != "":
		return "HTTP 200, but " + r.Doc.Failure
	}
	final, led := got.Response.FinalURL, ""
	if len(got.Response.Redirects) > 0 {
		led = "redirected"
	}
	if shown := b.Rendered.Shown; shown != nil && shown.URL != "" {
		final, led = shown.URL, "its scripts led"
	}
	if led == "" {
		return ""
	}
	if door := sentToDoor(it, final, r); door != "" {
		return led + " to a page for login or consent, " + door
	}
	return ""
}

func (b Basis) isFailure(it *registry.Item, got Answer, r Reading) bool {
	return b.failure(it, got, r) != ""
}

// Compare decides, after a body was read, whether the page is unchanged, changed, a soft 404, failed or unreadable.
// It copies anything new into the item.
func Compare(it registry.Item, got Answer, r Reading, b Basis, now time.Time) (registry.Item, Outcome) {
	next, o := compare(it, got, r, b, now)
	taken := Taken{Plain: got.Plain, Known: o.Store || o.Known, Same: o.Kind == schedule.Unchanged}
	return b.Rendered.Note(it, next, taken, now), o
}

func compare(it registry.Item, got Answer, r Reading, b Basis, now time.Time) (registry.Item, Outcome) {
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
	isKnown := b.isKnown(&it, r, now)
	it.Unreadable = registry.Unreadable{}
	if isKnown {
		it = noteValidators(it, got)
		noteThin(&it, r.Doc, now)
		noteCut(&it, r.Doc, now)
		noteUncompared(&it, r, r.Doc.TextHash(), true, now)
		it.ImageExclusion, it.States, it.MainState = r.ImageExclusion, b.states(&it, r), r.Main[:]
		it.Claim.Header = r.Linked
		noteMetadata(&it, r.Doc, now)
		if got.Raw == it.RawHash {
			return it, known(WhySameBytes)
		}
		return it, known(WhySameContent)
	}
	// New content may be what the host shows for pages that do not exist, or an error message with status 200.
	// Neither may replace the known content.
	if why := b.Soft404.shownBy(&it, got, r, b); why != "" {
		it.ImageExclusion = "" // the body itself shows whether its images are excluded
		return it, Outcome{Kind: LooksMissing, Why: why}
	}
	if why := b.failure(&it, got, r); why != "" {
		return it, Failed("%s", why)
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
	return b.IsNews(it, r, now) && !b.isFailure(it, got, r) && b.Soft404.shownBy(it, got, r, b) == ""
}

// doorLetters is the number of letters from which a text is content, and not a page for login or consent.
const doorLetters = 400

// sentToDoor describes why the target of redirects is a page for login, single sign-on or consent, and not the page;
// "" if it is the page. It must be at another path or host than the page, where no earlier check ended, with
// little text, and its path, title or form must say what it is. Scripts lead there as well as redirects.
func sentToDoor(it *registry.Item, final string, r Reading) string {
	for _, known := range []string{FetchURL(it), it.HTTPFinalURL, it.Rendering.URL} {
		if known != "" && sameAddress(final, known) && failure.DoorAddress(final) == failure.DoorAddress(known) {
			return ""
		}
	}
	if manyLetters(r.Doc.MainText()) {
		return ""
	}
	sign := r.Doc.Door
	if sign == "" && failure.DoorAddress(final) && !failure.DoorAddress(FetchURL(it)) {
		sign = "its address"
	}
	if sign == "" {
		return ""
	}
	return PublicURL(withoutQuery(final)) + source.Route(final) + " (by " + sign + ")"
}

// sameAddress reports whether two addresses have the same host and path.
func sameAddress(a, b string) bool {
	x, err := url.Parse(a)
	y, other := url.Parse(b)
	return err == nil && other == nil && x.Host == y.Host && strings.Trim(x.Path, "/") == strings.Trim(y.Path, "/")
}

func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

func manyLetters(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			if n++; n >= doorLetters {
				return true
			}
		}
	}
	return false
}

// Validators are a claim of the server. Some servers send the same ETag or Last-Modified for ever, whatever the page
// contains. So the item records whether its validators were seen to change together with the content, and whether they
// were ever seen to stay the same while the content changed. Under a strong validator the content is the bytes; under a
// weak one, or a date, it is what contentHash covers.

// compareValidators compares the validators of a whole answer with the known ones, and the content with the known
// content. It must be called before the item gets the new content and the new validators.
func (b Basis) compareValidators(it registry.Item, got Answer, r Reading, now time.Time) registry.Item {
	if got.File != nil {
		return it
	}
	v := &it.Validators
	*v = v.Whole(now)
	if got.Plain != "" || it.Rendering.IsRendered() {
		return it // what scripts write is another content than the one that the validators are for
	}
	if it.RawHash == "" || finalURL(got.Response) != it.HTTPFinalURL || it.HTTPEtag == "" && it.LastModified() == "" {
		return it
	}
	etag, modified := validatorsOf(got.Response)
	bytes, text := got.Raw != it.RawHash, b.hasOtherText(&it, r)
	content := text
	if isStrong(it.HTTPEtag) {
		content = bytes
	}
	switch {
	case etag == it.HTTPEtag && modified == it.LastModified():
		blind := text && !v.Blind
		if content && !v.Lied() || blind {
			v.LiedAt, v.Blind = host.Earlier(v.LiedAt, now), v.Blind || blind
			it.Record(now, "validators", v.Why())
		}
	case content && !b.isFailure(&it, got, r) && (isOther(it.HTTPEtag, etag) || isOther(it.LastModified(), modified)):
		v.Proven = true
	}
	return it
}

// hasOtherText reports whether a body has another content than the item, and both were read under the same rules.
func (b Basis) hasOtherText(it *registry.Item, r Reading) bool {
	return r.Unreadable == nil && !b.Outdated(it) && !b.newlyRead(it, r) && !b.Watching.HasOtherRules(it) &&
		r.Hash != it.ContentHash
}

// validatorsOf returns the validators of an answer, as an item stores them. A page that would have led to another one
// has none: with 304, the next check would not try again.
func validatorsOf(resp fetch.Response) (etag, modified string) {
	if fault.Is(resp.NotFollowed, fault.Unavailable) {
		return "", ""
	}
	return Bounded(resp.Header.Get("ETag")), Bounded(resp.Header.Get("Last-Modified"))
}

func isStrong(etag string) bool { return etag != "" && !strings.HasPrefix(etag, "W/") }

// isOther reports whether a validator has changed. One that appears or disappears has not: an error page often lacks
// the validators of the page.
func isOther(was, is string) bool { return was != "" && is != "" && was != is }

// MayAskHead reports whether a HEAD request may take the place of the conditional request. That saves a download from
// a server that ignores conditions.
func MayAskHead(it *registry.Item) bool { return it.HTTPUnconditional && it.Validators.BelievesHead() }

// SameByHead reports whether the answer to a HEAD request shows that the page is unchanged: all that the header says
// about the body is as it was with the last whole answer.
func SameByHead(it *registry.Item, resp fetch.Response) bool {
	etag, modified := validatorsOf(resp)
	return resp.Status == http.StatusOK && resp.FinalURL == it.HTTPFinalURL && etag == it.HTTPEtag &&
		modified == it.LastModified() && resp.Header.Get("Content-Length") == it.Validators.Length
}

// needsWhole reports whether a check must get the whole page, because the validators are not believed, or because no
// whole answer has come for too long. A server that answers 304 for ever is found out only in this way.
func (b Basis) needsWhole(it *registry.Item, now time.Time) bool {
	v := it.Validators
	return v.Blind || b.Rules.Schedule.FullCheck(v.Checks, v.WholeAt, v.Proven, now)
}
