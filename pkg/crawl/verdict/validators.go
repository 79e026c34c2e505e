package verdict

import (
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

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
