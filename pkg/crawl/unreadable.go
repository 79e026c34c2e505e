package crawl

import (
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A document that cannot be read is tried again like any failure, but nothing comes of reading the
// same bytes by the same rules: what failed is remembered beside what is held, so that the site need
// not send it again, and nobody extracts it again.

// unreadableFor is for how long that is believed: what a reader could not do may have been its
// machine's fault.
const unreadableFor = 30 * 24 * time.Hour

// knowsUnreadable reports whether an answer that cannot be read is known and would still fail. Who
// insists has it tried again.
func (c *check) knowsUnreadable() bool {
	u := &c.Unreadable
	return u.Version == lineage.Current.String() && !c.forced && !c.RebuildPending && c.o.Clock().Sub(u.Since) < unreadableFor
}

// isUnreadable reports whether an answer is the one that failed.
func (c *check) isUnreadable(resp fetch.Response, raw string) bool {
	return c.knowsUnreadable() && raw == c.Unreadable.RawHash && mimeType(resp.Header.Get("Content-Type")) == c.Unreadable.Type
}

// failAsBefore closes a check that found what cannot be read.
func (c *check) failAsBefore() { c.fail("%s", c.Unreadable.Why) }

// noteUnreadable remembers an answer that has failed, if that was its own fault.
func (c *check) noteUnreadable(resp fetch.Response, raw string, why error) {
	c.Unreadable = registry.Unreadable{}
	if !fault.Is(why, fault.Invalid) && !fault.Is(why, fault.TooLarge) && !fault.Is(why, fault.Blocked) {
		return
	}
	c.Unreadable = registry.Unreadable{
		RawHash: raw, Type: mimeType(resp.Header.Get("Content-Type")), FinalURL: finalURL(resp),
		Version: lineage.Current.String(), Since: c.o.Clock(), Why: c.ErrorMessage,
	}
	c.noteItsValidators(resp)
}

// noteItsValidators keeps what tells next time that the answer that cannot be read is still the same.
func (c *check) noteItsValidators(resp fetch.Response) {
	u := &c.Unreadable
	if c.file == nil {
		u.ETag, u.LastModified = bounded(resp.Header.Get("ETag")), bounded(resp.Header.Get("Last-Modified"))
		return
	}
	u.ETag, u.LastModified, u.Length = bounded(c.file.ETag), "", c.file.Length
	if !c.file.LastModified.IsZero() {
		u.LastModified = c.file.LastModified.Format(time.RFC3339Nano)
	}
}

// sameFile is what tells that a file is still the one we know: that cannot be read, or that we hold.
func (c *check) sameFile() (known file.Info) {
	switch u := &c.Unreadable; {
	case c.knowsUnreadable():
		return file.Info{ETag: u.ETag, LastModified: modified(u.LastModified), Length: u.Length}
	case c.conditional():
		return file.Info{ETag: c.FileEtag, LastModified: modified(c.FileLastModified), Length: c.FileLength}
	}
	return known
}
