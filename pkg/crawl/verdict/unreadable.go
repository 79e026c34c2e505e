package verdict

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A document that cannot be read is retried like any failure. But reading the same bytes under the same rules would
// fail again. So the item remembers the failed answer, apart from the stored content. The site need not send that
// answer again, and the text of the answer is not extracted again.

// unreadableFor is how long an unreadable answer is remembered. The time is limited, because this machine may have
// caused the failure.
const unreadableFor = 30 * 24 * time.Hour

// knowsUnreadable reports whether the item remembers an unreadable answer that would fail again. A forced check tries
// that answer all the same.
func (b Basis) knowsUnreadable(it *registry.Item, now time.Time) bool {
	u := &it.Unreadable
	return u.Version == b.Rules.Version.String() && !b.Forced && !it.RebuildPending && now.Sub(u.Since) < unreadableFor
}

// isUnreadable reports whether an answer is the unreadable one that the item remembers.
func (b Basis) isUnreadable(it *registry.Item, got Answer, now time.Time) bool {
	return b.knowsUnreadable(it, now) && got.Raw == it.Unreadable.RawHash && typeOf(got) == it.Unreadable.Type
}

// unreadable returns what to remember about an answer that could not be read: nothing, unless the answer is the
// cause.
func (b Basis) unreadable(got Answer, err error, why string, now time.Time) (u registry.Unreadable) {
	if !fault.Refused(err) && !fault.Is(err, fault.Blocked) {
		return u
	}
	u = registry.Unreadable{
		RawHash: got.Raw, Type: typeOf(got), FinalURL: finalURL(got.Response), Version: b.Rules.Version.String(),
		Since: now, Why: why,
	}
	noteUnreadableValidators(&u, got)
	return u
}

func typeOf(got Answer) string { return mimeType(got.Response.Header.Get("Content-Type")) }

// noteUnreadableValidators records the validators by which the next check recognizes the same unreadable answer.
func noteUnreadableValidators(u *registry.Unreadable, got Answer) {
	if got.File == nil {
		u.ETag, u.LastModified = Bounded(got.Response.Header.Get("ETag")), Bounded(got.Response.Header.Get("Last-Modified"))
		return
	}
	u.ETag, u.Length = Bounded(got.File.ETag), got.File.Length
	if !got.File.Recent {
		u.LastModified = formatModified(got.File.LastModified)
	}
}

// KnownFile returns the properties by which a file is recognized: those of the unreadable file or, if there is none,
// those of the stored one.
func (b Basis) KnownFile(it *registry.Item, now time.Time) (known file.Info) {
	switch u := &it.Unreadable; {
	case b.knowsUnreadable(it, now):
		return file.Info{ETag: u.ETag, LastModified: parseModified(u.LastModified), Length: u.Length}
	case b.conditional(it):
		return KnownProperties(it)
	}
	return known
}

// KnownProperties returns the properties of an item's file when it was last read.
func KnownProperties(it *registry.Item) file.Info {
	return file.Info{ETag: it.FileEtag, LastModified: parseModified(it.FileLastModified), Recent: it.Validators.Recent,
		Length: it.FileLength}
}

const (
	maxValidator = 1024      // bytes
	maxMimeType  = 200       // bytes
	maxHop       = 2000      // bytes of one URL of a redirect chain
	maxHeaders   = 16 * 1024 // bytes of all headers kept with a capture
)

// Bounded returns a header value; "" for a value that no honest server sends, because it is too long or not printable
// ASCII. Bounded does not shorten values, because a changed validator would be worse than a missing one.
func Bounded(value string) string {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if len(value) > maxValidator || strings.ContainsFunc(value, odd) {
		return ""
	}
	return value
}

// mimeType returns a media type that is fit for a row; "" if the given text is not one.
func mimeType(t string) string {
	if len(t) > maxMimeType {
		return ""
	}
	return Bounded(t)
}

// PublicURL returns the URL of a redirect, or one that a browser shows, without userinfo, signatures and other secrets.
func PublicURL(raw string) string {
	form, err := source.FetchForm(raw)
	if err != nil || len(form) > maxHop {
		return "(a URL that is not shown)"
	}
	return form
}

// replayHeaders are the headers that are stored with a capture. A replay of the response needs them, and none of them
// can contain a visitor's secret.
var replayHeaders = []string{
	"Cache-Control", "Content-Language", "Content-Type", "Date", "ETag", "Expires", "Last-Modified",
	"Link", "Vary", "X-Robots-Tag",
}

func keptHeaders(resp fetch.Response) map[string][]string {
	kept, size := map[string][]string{}, 0
	for _, name := range replayHeaders {
		for _, v := range resp.Header.Values(name) {
			v = Bounded(v)
			if size += len(v); v != "" && size <= maxHeaders {
				kept[name] = append(kept[name], v)
			}
		}
	}
	return kept
}

// finalURL returns the address that sent a response's validators; "" if the address contains secrets or is too long
// to be stored. Validators without an address are not sent when a request is redirected.
func finalURL(resp fetch.Response) string {
	if form, err := source.FetchForm(resp.FinalURL); err != nil || form != resp.FinalURL || len(form) > maxHop {
		return ""
	}
	return resp.FinalURL
}
