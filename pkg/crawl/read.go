package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// read reads a body, in a child process if the format requires it. An error means that this worker's time is over.
func (c *check) read(ctx context.Context, got verdict.Answer) (verdict.Reading, error) {
	header, contentType := got.Response.Header, got.ContentType()
	body, address := got.Response.Body, got.Response.FinalURL
	walked := c.o.Awaited.Reader(c.item.ID, got.Raw, contentType, address, header.Values("X-Robots-Tag"))
	fields := part.NewFieldReader(c.basis.Fields.Specs, address)
	doc, unreadable, err := c.stored.extract(ctx, &c.room, body, contentType, address, fields.Tree(walked))
	if err != nil || unreadable != nil {
		return verdict.Reading{Unreadable: unreadable}, err
	}
	page, linked := doc, verdict.LinkCanonical(&doc, header, address)
	if got.Plain != "" {
		verdict.NoteShown(&doc, c.basis.Rendered.Shown.PictureOnly)
	}
	values, noValues := fields.Results(doc, body, contentType)
	doc, watched := c.basis.Watching.Read(doc, body, contentType, address)
	if why := got.Response.NotFollowed; why != nil {
		doc.Thin = why.Error()
	}
	r := verdict.Reading{Raw: got.Raw, Page: page, Part: watched, Linked: linked, Fields: values, NoFields: noValues,
		UnreadData: fields.Unread()}
	return r.Indexing(&c.item, doc, header.Values("X-Robots-Tag"), "", c.basis.Rules, c.now()), nil
}

// reading returns the part of a stored document that may be indexed.
func (c *check) reading(s stored) verdict.Reading {
	r := verdict.Reading{Raw: c.item.RawHash, Page: s.page, Part: s.part, Linked: s.linked, Fields: s.fields,
		NoFields: s.noFields, UnreadData: s.unreadData}
	return r.Indexing(&c.item, s.doc, nil, c.item.ImageExclusion, c.basis.Rules, c.now())
}

// storedDocument reads the item's stored document, at most once per check. When the document cannot be read, the
// returned outcome is decided, and the next check fetches the page again.
func (c *check) storedDocument(ctx context.Context) (stored, verdict.Outcome, error) {
	if c.known != nil {
		return *c.known, verdict.Outcome{}, nil
	}
	s, err := c.stored.load(ctx, &c.item, &c.room, readAs{watching: c.basis.Watching})
	switch {
	case err != nil:
		return s, verdict.Outcome{}, err
	case s.gone:
		c.item.RawHash = ""
		return s, verdict.Failed(snapshotGone), nil
	case s.unreadable != nil:
		return s, verdict.Failed("%v", s.unreadable), nil
	}
	c.known = &s
	return s, verdict.Outcome{}, nil
}

// readAnswer reads the site's answer, or what a browser shows of it, which is then returned in its place. If the
// document must be compared with the host's soft-404 fingerprint, readAnswer also gets the fingerprint. The check keeps
// its permit until it is certain that no request for a fingerprint is needed, and that no browser requests more.
// Without the permit it might wait for checks that themselves wait for the memory that this check holds. A decided
// outcome says why the page could not be read. An error means that this program's storage failed, or that this worker's
// time is over.
func (c *check) readAnswer(ctx context.Context, got verdict.Answer) (
	_ verdict.Answer, r verdict.Reading, o verdict.Outcome, err error) {
	defer c.release()
	origin, compared := c.compared(got)
	shown, known := c.prober().Remembered(origin)
	how := c.basis.Rendering.ReaderOf(&c.item, got.Response)
	if (known || !compared) && how == verdict.ReadPlain {
		c.release()
	}
	// Only new content is compared with the fingerprint. To find out whether the content is new, the document must be
	// read first.
	if got, r, o, err = c.readPage(ctx, got, how); err != nil || o.Decided() {
		return got, r, o, err
	}
	if !compared || !c.basis.IsNews(&c.item, r, c.now()) || r.Doc.Unsupported ||
		r.Doc.VisibleText == "" {
		return got, r, o, nil
	}
	if !known {
		shown, err = c.prober().Current(ctx, origin)
	}
	c.basis.Soft404 = shown
	return got, r, o, err
}

// readPage reads the answer itself or, if that is what the page needs, what a browser shows of it. In the second case
// the body of the returned answer is the rendered page.
func (c *check) readPage(ctx context.Context, got verdict.Answer, how verdict.Reader) (
	_ verdict.Answer, plain verdict.Reading, o verdict.Outcome, err error) {
	policy, now, seen := c.basis.Rendering, c.now(), &c.basis.Rendered
	if how != verdict.ReadRendered {
		plain, err = c.read(ctx, got)
		thin := how == verdict.ReadIfThin && plain.Unreadable == nil && plain.Doc.Thin != ""
		needless := thin && policy.IsNeedless(&c.item, plain.Hash, now)
		if needless {
			plain.Doc.Thin = c.item.Thin
		}
		if err != nil || !thin || needless {
			seen.Baseline = policy.IsBaseline(&c.item, false)
			if how == verdict.ReadIfThin {
				c.o.Metrics.Spared.Add(1, map[bool]string{true: "needless", false: "readable"}[needless])
			}
			return got, plain, o, err
		}
	}
	c.room.end() // memory held while this check waits for a browser could block other checks
	p, err := pageToRender(&c.item, got, c.basis.Options.Rendering, c.site, c.o.Setting)
	if err != nil {
		return got, plain, verdict.FailedBy(err), nil
	}
	out, o, err := c.o.render(ctx, p, c.lease.Deadline().Sub(now))
	c.site.Rendered(out.ByHost, out.Bytes)
	c.held.note(err, &c.item, got, c.now())
	if err != nil || o.Decided() {
		return got, plain, o, err
	}
	seen.Shown = renderingOf(out, p, got, policy.Why(&c.item, plain.Doc.Thin), c.now())
	seen.Shown.Always = how == verdict.ReadRendered
	shown := shownAs(got, out, c.basis.Rules.Agent, c.now())
	r, err := c.read(ctx, shown)
	if err == nil && how == verdict.ReadIfThin && r.Unreadable == nil && r.Hash == plain.Hash &&
		verdict.IsWhole(*seen.Shown) {
		seen.Needless, plain.Doc.Thin = plain.Hash, r.Doc.Thin // of its text, the browser has the last word
		return got, plain, o, nil
	}
	seen.Baseline = policy.IsBaseline(&c.item, true)
	return shown, r, o, err
}

// compared reports whether an answer may have to be compared with the origin's answer for pages that do not exist.
func (c *check) compared(got verdict.Answer) (o politeness.Origin, ok bool) {
	if !c.basis.Rules.Soft404 || got.File != nil || verdict.IsRoot(c.item.NormalizedSource) {
		return o, false
	}
	o, err := politeness.OriginOf(verdict.FetchURL(&c.item))
	return o, err == nil
}

// prober returns the prober that learns the soft-404 fingerprint of the item's host.
func (c *check) prober() politeness.Prober {
	read := func(ctx context.Context, resp fetch.Response) (extract.Document, error, error) {
		return c.stored.extract(ctx, &c.room, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL, nil)
	}
	return c.site.Prober(c.basis.Rules.Version, read)
}

// indexContent is the second half of a check: it decides where the content belongs and prepares the change. It also
// runs when the check found nothing new, because the item that stands for the page may have changed. If no other item
// was ever a candidate to stand for the page, this costs nothing.
func (c *check) indexContent(
	ctx context.Context, o verdict.Outcome, r verdict.Reading,
) (p verdict.Placement, _ verdict.Outcome, err error) {
	// A single missing answer may be an accident. It must be confirmed before the page is removed.
	if o.Kind == schedule.Missing || o.Kind == verdict.LooksMissing {
		if o, err = c.confirm(ctx, o); err != nil {
			return p, o, err
		}
	}
	it, b := &c.item, c.basis
	refresh := o.Refresh || b.Reread
	if o.Kind == schedule.Collapsed {
		r = verdict.Reading{} // not gone: the known content is placed as before
	}
	// Most checks need no further work. A page that must not, or no longer, be searched is removed from the index
	// first.
	switch {
	case o.Kind == schedule.OutOfScope, o.Kind == schedule.Gone && !c.o.KeepGone:
		return verdict.Placement{Kind: verdict.OutOfIndex}, o, c.placer.deindex(ctx, it)
	case !o.Stands():
		return p, o, nil
	case it.Exclusion != "" && refresh:
		noteUnchanged(it, o, c.now())
		return verdict.Placement{Kind: verdict.OutOfIndex, Why: it.Exclusion}, o, c.placer.deindex(ctx, it)
	case it.Exclusion != "", !refresh && (b.IndexOnly || !b.Contested(it) && !b.HasMoved(it)):
		return p, o, nil
	}
	// A search must not find the same content twice. So if another item stands for the page, that item takes
	// precedence.
	s, err := c.placer.resolve(ctx, it, o.Kind, r.Words)
	if err != nil {
		return p, o, err
	}
	if s.Alias != nil {
		noteUnchanged(it, o, c.now())
		p, err = c.placer.standBehind(ctx, it, s)
		return p, o, err
	}
	p.Soon = s.applyNote(it, c.now())
	if !refresh && it.AliasOf == "" && (!b.HasMoved(it) || it.IndexedHash == "") {
		return p, o, nil
	}
	if r.Hash == "" { // the site sent no body
		var known stored
		var failure verdict.Outcome
		if known, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return verdict.Placement{}, failure, err
		}
		r = c.reading(known)
	}
	if b.Reread {
		noteUnchanged(it, o, c.now())
	}
	// No other item stands for the page, so it is indexed itself.
	p.Entry, err = c.placer.standAlone(ctx, it, s, r)
	p.Kind = verdict.OnItsOwn
	return p, o, err
}

// noteUnchanged records in the history that the content equals the stored content. It must be called before later
// steps record where the content goes.
func noteUnchanged(it *registry.Item, o verdict.Outcome, now time.Time) {
	if o.Kind == schedule.Unchanged && o.Why != "" {
		it.Record(now, "unchanged", o.Why)
	}
}
