package crawl

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A document that cannot be read is tried again like any failure, but nothing comes of reading the
// same bytes by the same rules: what failed is remembered beside what is stored, so that the site need
// not send it again, and nobody extracts it again.

// unreadableFor is for how long that is believed: what a reader could not do may have been its
// machine's fault.
const unreadableFor = 30 * 24 * time.Hour

// knowsUnreadable reports whether an answer that cannot be read is known and would still fail. Who
// insists has it tried again.
func (m memory) knowsUnreadable(it *registry.Item, now time.Time) bool {
	u := &it.Unreadable
	return u.Version == m.rules.version.String() && !m.forced && !it.RebuildPending && now.Sub(u.Since) < unreadableFor
}

// isUnreadable reports whether an answer is the one that failed.
func (m memory) isUnreadable(it *registry.Item, got fetched, now time.Time) bool {
	return m.knowsUnreadable(it, now) && got.raw == it.Unreadable.RawHash && typeOf(got) == it.Unreadable.Type
}

// unreadable is what to remember of an answer that has failed: nothing, unless that was its own fault.
func (m memory) unreadable(got fetched, err error, why string, now time.Time) (u registry.Unreadable) {
	if !fault.Refused(err) && !fault.Is(err, fault.Blocked) {
		return u
	}
	u = registry.Unreadable{
		RawHash: got.raw, Type: typeOf(got), FinalURL: finalURL(got.resp), Version: m.rules.version.String(),
		Since: now, Why: why,
	}
	noteUnreadableValidators(&u, got)
	return u
}

func typeOf(got fetched) string { return mimeType(got.resp.Header.Get("Content-Type")) }

// noteUnreadableValidators keeps what tells next time that the answer that cannot be read is still the
// same.
func noteUnreadableValidators(u *registry.Unreadable, got fetched) {
	if got.file == nil {
		u.ETag, u.LastModified = bounded(got.resp.Header.Get("ETag")), bounded(got.resp.Header.Get("Last-Modified"))
		return
	}
	u.ETag, u.LastModified, u.Length = bounded(got.file.ETag), formatModified(got.file.LastModified), got.file.Length
}

// knownFile is what tells that a file is still the one we know: that cannot be read, or that is stored.
func (m memory) knownFile(it *registry.Item, now time.Time) (known file.Info) {
	switch u := &it.Unreadable; {
	case m.knowsUnreadable(it, now):
		return file.Info{ETag: u.ETag, LastModified: parseModified(u.LastModified), Length: u.Length}
	case m.conditional(it):
		return file.Info{ETag: it.FileEtag, LastModified: parseModified(it.FileLastModified), Length: it.FileLength}
	}
	return known
}
