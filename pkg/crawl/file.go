package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// fetchFile requests a file's properties first, and its bytes only when the properties differ (A9).
// A file whose bytes were fetched is then handled like a page.
func (c *check) fetchFile(ctx context.Context) (got verdict.Answer, o verdict.Outcome, err error) {
	place, err := verdict.FileLocation(&c.item)
	switch {
	case err != nil:
		return got, verdict.Failed("%v", err), nil
	case c.o.Files == nil:
		return got, verdict.Failed("files cannot be read here"), nil
	case place.Whole():
		o, err = c.list(ctx, place)
		return got, o, err
	case !c.item.UnlistedSince.IsZero():
		return got, verdict.Missing("its folder does not list it any more"), nil
	}
	switch is, o := folderAt(c.o.Files, &c.item, place); {
	case is:
		o, err = c.list(ctx, place)
		return got, o, err
	case o.Decided():
		return got, o, nil
	}
	// The stored capture must be read under the present rules before the file is compared with the stored content.
	if err := c.reread(ctx); err != nil {
		return got, o, err
	}
	req := file.Request{Location: place, Credential: c.item.Credential, Known: c.basis.KnownFile(&c.item, c.now())}
	if c.item.Folder != "" {
		if req.Folder, err = file.Parse(c.item.Folder); err != nil {
			return got, verdict.FailedBy(err), nil // unreachable: it was parsed when the folder was listed
		}
	}
	if err := c.lease.Wait(ctx); err != nil {
		return got, o, err
	}
	// The size of a file is not known before its bytes arrive, so memory for a large body is reserved first.
	if err := c.room.large(ctx); err != nil {
		return got, o, err
	}
	resp, err := c.o.Files.Get(ctx, req)
	c.lease.Received(resp.WireBytes)
	switch {
	case fault.Is(err, fault.NotFound):
		return got, verdict.Missing("the file is not there"), nil
	case err != nil:
		return got, verdict.FailedBy(err), nil
	}
	// The request is over, so another check may use the permit while this one reads the file.
	c.release()
	return verdict.FileAnswer(place, resp), o, nil
}

// list keeps the items of the files of a container or a folder in sync with its listing.
func (c *check) list(ctx context.Context, place file.Location) (o verdict.Outcome, err error) {
	if err := c.lease.Wait(ctx); err != nil {
		return o, err
	}
	defer c.release()
	if c.item.Interrupted && verdict.IsListing(&c.item) {
		c.item.Record(c.now(), "interrupted", "the program ended during the last listing; this one begins again")
	}
	l := newListing(c.in.Items, place, c.item.Credential)
	entries := c.o.Files.List(ctx, place, c.item.Credential)
	if l.isFolder() {
		selected, err := options.SelectionOf(c.basis.Options.Files)
		if err != nil {
			return verdict.FailedBy(err), nil // unreachable: stored options were validated
		}
		entries = c.o.Files.Walk(ctx, place, selected.LeavesOut)
	}
	began, time := c.now(), c.lease.Deadline().Sub(c.now())
	isLate := func() bool { return c.now().Sub(began) > time/4*3 }
	if o, err = l.read(ctx, entries, isLate); err != nil || o.Decided() {
		return o, err
	}
	if l.isFolder() {
		if o, err = l.guard(ctx, &c.item, &c.basis, c.now()); err != nil || o.Decided() {
			return o, err
		}
	}
	if err := l.finish(ctx); err != nil {
		return o, err
	}
	c.item, o = l.close(c.item, c.now())
	return o, nil
}
