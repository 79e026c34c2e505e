package crawl

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// check takes one item through the stages. Each stage takes values and returns values: the item to
// store, the outcome, and where the content belongs.
type check struct {
	*checker
	shared
	item        registry.Item // the item, as changed by the stages so far; in the end it becomes part of the finding
	basis       verdict.Basis
	site        *politeness.Asker
	placer      *placer
	room        room
	release     func()              // gives the permit back; further calls do nothing
	known       *stored             // the item's stored document, once it has been read
	earlier     *stored             // as known, but only its texts
	differences verdict.Differences // what differs from the stored text, when the text has changed
	listed      []feed.Change       // the new entries of a list
	fields      verdict.FieldNews   // what was found of the fields
	texts       *verdict.Texts      // the texts that were compared; nil if none were
}

// shared is the data that the checks of a batch have in common.
type shared struct {
	batch *registry.Batch
	lease *politeness.Lease
	// noteBegun records that the check of an item begins, if that matters.
	noteBegun func(context.Context, *registry.Item) error
}

// check runs the stages on an item. An error means that this program failed, and that the item is
// given back unchanged. A panic counts as the page's fault and is recorded on the item.
func (w *checker) check(
	ctx context.Context, it registry.Item, of shared, release func(),
) (done verdict.Checked, err error) {
	rules := w.rules()
	set, err := w.in.Tags.Effective(ctx, &it)
	if err != nil {
		return done, err
	}
	c := &check{
		checker: w, shared: of, item: it, release: release, room: room{of: w.o.Room},
		basis: verdict.BasisOf(&it, rules, set),
	}
	c.site, c.placer = of.lease.Asker(c.room.large), w.pages.placer(of.lease, &c.basis)
	defer c.room.end()
	defer func() {
		if p := recover(); p != nil {
			w.o.Log.ErrorContext(ctx, "check panicked", "id", it.ID, "panic", p, "stack", string(debug.Stack()))
			done, err = c.end(verdict.Failed("the page could not be processed: %v", p), verdict.Placement{}), nil
		}
	}()
	// An item that is to be removed, or that has moved, needs no request. Its content is purged instead.
	if verdict.PurgeDue(&c.item, rules, c.now()) {
		release()
		err = c.placer.purge(ctx, &c.item)
		done = c.end(verdict.Outcome{}, verdict.Placement{})
		done.Purged = true
		return done, err
	}
	if c.item.RemoveRequested {
		release()
		c.basis.IndexOnly = true
		err = c.placer.withdraw(ctx, &c.item)
		return c.end(verdict.Unchanged(""), verdict.Placement{}), err
	}
	// The outcome must be known before the content is placed: it decides whether the page is indexed,
	// becomes an alias or leaves the index. Nothing is committed yet, so if the worker dies here, the
	// item is checked again.
	o, r, err := c.find(ctx)
	if err != nil || o.Kind == verdict.Unreached || o.Kind == verdict.Paused {
		return c.end(o, verdict.Placement{}), err
	}
	p, o, err := c.indexContent(ctx, o, r)
	if err != nil {
		return done, err
	}
	// The page is written to the index later, together with the other pages of the batch. Slow
	// preparation, such as computing vectors, is done now, because the time at the end of the lock is
	// reserved for the commit.
	if err := c.placer.prepare(ctx, &c.item, &p); err != nil {
		return done, err
	}
	err = c.prune(ctx)
	return c.end(o, p), err
}

// find is the first half of a check: fetch, read, compare. It ends at the first stage that decides the outcome.
func (c *check) find(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	// An item that has killed its workers while it was tried alone would kill the next one, too, so it
	// is not tried again.
	if c.item.Deadly {
		return c.recordSuspect(ctx), r, nil
	}
	if c.item.Early {
		c.release()
		return verdict.PutOff(&c.item), r, nil
	}
	// This must come before all work on the item: if the worker dies, the record shows which items may
	// have killed it.
	if err := c.noteBegun(ctx, &c.item); err != nil {
		return o, r, err
	}
	// Stored content that is not in the index is indexed from its snapshot, so that an outage of the
	// index costs the site no request.
	if (c.item.IndexPending || verdict.Interrupted(&c.item)) && !c.basis.Forced {
		c.release()
		return c.pending(ctx)
	}
	// The cheapest evidence comes first: most checks find nothing new, and the status or the bytes
	// alone often show it. A body must be read and compared as text only when its bytes differ.
	got, o, err := c.fetch(ctx)
	if err != nil || o.Decided() {
		return o, r, err
	}
	skipped := c.item.Rendering.Skipped
	if c.item, o = verdict.CompareAnswer(c.item, got, c.basis, c.now()); c.item.Rendering.Skipped > skipped {
		c.o.Metrics.Spared.Add(1, "same")
	}
	was := c.item
	if !o.Decided() {
		if got, r, o, err = c.readAnswer(ctx, got); err != nil || o.Decided() {
			return o, r, err
		}
		if err = c.recall(ctx, got, &r); err != nil {
			return o, r, err
		}
		was = c.item
		c.item, o = verdict.Compare(c.item, got, r, c.basis, c.now())
		if err = c.readList(ctx, r, o); err != nil {
			return o, r, err
		}
		if k := o.News.Kind; k == change.Content || k == change.Beside || k == change.Reverted {
			if o, err = c.compareTexts(ctx, &was, r, o); err != nil {
				return o, r, err
			}
		}
	}
	if o, err = c.readFields(ctx, &was, got, r, o); err != nil {
		return o, r, err
	}
	// A body with new content is stored before its content is placed, so that everything in the index
	// can be read again from a snapshot.
	switch {
	case o.Store:
		err = c.keep(ctx, got, r, o)
	case o.Kind == schedule.Unchanged:
		c.item = verdict.NoteBareFields(c.item, o, c.now())
		if o.Known {
			err = c.keepSame(ctx, got, r)
		}
		if err == nil && !o.Refresh {
			o, err = c.reconsider(ctx, o)
		}
	}
	return o, r, err
}

// end returns the checked item with its outcome and placement.
func (c *check) end(o verdict.Outcome, p verdict.Placement) verdict.Checked {
	return verdict.Checked{
		Item: c.item, Basis: c.basis, Outcome: o, Placement: p, Ended: c.now(), Differences: c.differences,
		Listed: c.listed,
	}
}

func (c *check) now() time.Time { return c.o.Clock() }

// fetch requests the source, unless a rule forbids the request.
func (c *check) fetch(ctx context.Context) (verdict.Answer, verdict.Outcome, error) {
	if c.item.Type == source.File {
		return c.fetchFile(ctx)
	}
	return c.fetchPage(ctx)
}

// recordSuspect records that the item killed its worker. The worker may have changed the index
// before it died, so the next check fetches the whole page. That check does not use the snapshot,
// neither to index it nor to read it under new rules, because reading the snapshot may be what
// kills the worker.
func (c *check) recordSuspect(ctx context.Context) verdict.Outcome {
	it := &c.item
	c.release()
	c.o.Log.ErrorContext(ctx, "an item kills its worker",
		"id", it.ID, "url", it.NormalizedSource, "deaths", it.Deaths)
	it.IndexPending, it.NormalizationVersion = false, ""
	it.SetStale()
	return verdict.Failed("checking the page ended the program twice when nothing else was in work")
}

// recall loads what [verdict.Compare] needs for a body with new content: the words of the body, and
// the words of the item's last content. When the capture is stored, the rows that recall has read
// are not read again.
func (c *check) recall(ctx context.Context, got verdict.Answer, r *verdict.Reading) (err error) {
	it, b := &c.item, &c.basis
	if !b.ComparesContent(it, got, *r, c.now()) {
		return nil
	}
	if it.RawHash != "" {
		if b.Last, err = c.in.Snapshots.Last(ctx, it.ID, b.Rules.Version.String()); err != nil {
			return err
		}
	}
	if b.Watching.NeedsEarlier(it, r.Part) {
		if err = c.compareEarlier(ctx, got, r); err != nil {
			return err
		}
	}
	r.Words = change.WordsOf(r.Doc.MainText())
	return nil
}

// compareEarlier finds out whether the watched part that is missing is empty or broken, by the page that is stored.
// That page is read anyway when texts are compared.
func (c *check) compareEarlier(ctx context.Context, got verdict.Answer, r *verdict.Reading) error {
	old, err := c.earlierTexts(ctx, &c.item)
	if err != nil || old == nil || old.part == nil {
		return err
	}
	if doc, other := c.basis.Watching.CompareEarlier(*r, old.part); other {
		*r = r.Indexing(&c.item, doc, got.Response.Header.Values("X-Robots-Tag"), "", c.basis.Rules, c.now())
	}
	return nil
}

// earlierTexts reads the texts that were stored for the item before this check; nil if they cannot be read.
func (c *check) earlierTexts(ctx context.Context, was *registry.Item) (*stored, error) {
	if c.known == nil && c.earlier == nil {
		s, err := c.stored.loadTexts(ctx, was, &c.room, readAs{watching: c.basis.Watching}, c.basis.Last)
		if err != nil || s.gone || s.unreadable != nil {
			return nil, err
		}
		c.earlier = &s
	}
	return cmp.Or(c.known, c.earlier), nil
}

// confirm decides whether a missing page counts as missing, guarded or gone. The page is gone after
// enough missing answers in a row (A14). It is guarded instead if too many pages of the host went
// missing at once. If the source was never fetched successfully, its removal does not count as a
// loss.
func (c *check) confirm(ctx context.Context, o verdict.Outcome) (verdict.Outcome, error) {
	it, config := &c.item, c.basis.Rules.Schedule
	kind := config.Miss(it.Schedule(), 0, c.now())
	var losses schedule.Losses
	if kind == schedule.Guarded {
		room, err := true, error(nil)
		if it.ContentHash != "" {
			if losses, room, err = c.in.Hosts.ReserveLoss(ctx, c.batch, config); err != nil {
				return o, err
			}
		}
		if room {
			kind = schedule.Gone
		}
	}
	return verdict.Missed(it, kind, o.Why, config, losses, c.now()), nil
}

// fetchPage fetches a page if robots.txt allows the request (A11).
func (c *check) fetchPage(ctx context.Context) (got verdict.Answer, o verdict.Outcome, err error) {
	// robots.txt must be checked first: a page that it forbids must not be requested at all.
	o, err = c.site.Allows(ctx, &c.item)
	if err != nil || o.Kind == schedule.Failed || o.Kind == verdict.Unreached {
		return got, o, err
	}
	if c.item.HTTPRobotsAllowed = !o.Decided(); o.Decided() {
		return got, o, nil
	}
	// The stored capture must be read under the present rules before the answer is compared with the stored content.
	if err = c.reread(ctx); err != nil {
		return got, o, err
	}
	known := false
	if got, known = c.held.answer(&c.item, c.now()); !known {
		got, o, err = c.site.Get(ctx, &c.item, c.basis, c.o.Setting)
	}
	if err != nil || o.Decided() {
		c.item.HTTPRobotsAllowed = o.Kind != schedule.OutOfScope
		return got, o, err
	}
	// Status and redirects are recorded even if the body turns out to be unchanged.
	c.item = verdict.NoteResponse(c.item, got, c.basis.Rules.Sources)
	got.Raw = snapshot.Hash(got.Response.Body)
	return got, o, nil
}

// Hashes belong to one normalization version, and hashes of two versions are never compared. So the
// first check of an item under a new version reads the item's stored capture again before the
// request to the site. The site's answer and the stored content are then compared under one
// version, and a change of the rules does not look like a change of the page. A rebuild also
// rereads captures, but sends no request; see [check.pending].

// reread reads the stored capture again if the present rules differ from those under which it was
// last read. The rules are those of the program and those of the watched part. The item takes over
// the result before the request to the site. So if the site fails, the capture need not be read
// once more. When a capture cannot be read, there is nothing to compare with, and the whole page is
// requested from the site.
func (c *check) reread(ctx context.Context) error {
	it := &c.item
	fields := c.basis.Fields.HaveOthers(it)
	if it.NormalizationVersion == "" || it.RawHash == "" ||
		!c.basis.Outdated(it) && !c.basis.Watching.HasOtherRules(it) && !fields {
		return nil
	}
	defer c.room.end() // memory held while this check waits for more could block other checks for ever
	s, err := c.stored.load(ctx, it, &c.room, readAs{c.basis.Watching, c.basis.Fields})
	switch {
	case err != nil:
		return err
	case s.gone, s.unreadable != nil:
		it.Watched = c.basis.Watching.Unknown(it)
	}
	switch {
	case s.gone:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot that was read under %s is gone", it.NormalizationVersion))
		return nil
	case s.unreadable != nil:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot cannot be read under %s: %v", c.basis.Rules.Version, s.unreadable))
		return nil
	}
	r := c.reading(s).ExcludedAs(it)
	c.known, c.basis.Reread = &s, true
	if fields {
		c.fields = verdict.ReadFields(c.basis, it, r, it.RawHash, true, c.now())
	}
	return c.applyStored(ctx, r, s.capture)
}

// applyStored copies a reading of the stored capture into the item. A capture of another version is
// stored again as one of the present version (B5).
func (c *check) applyStored(ctx context.Context, r verdict.Reading, capture snapshot.Capture) error {
	it, b, now := &c.item, c.basis, c.now()
	if b.Outdated(it) {
		if err := c.in.Snapshots.Reprocess(ctx, b.Reprocessed(it, r, capture, now)); err != nil {
			return err
		}
	}
	c.item = verdict.ApplyStored(c.item, r, b, now)
	return c.noteList(ctx, r, true)
}

// A page may have been stored before its host's soft-404 fingerprint was known. The row of the host
// contains the id of the present fingerprint. The row of an item contains the id of the fingerprint
// that the item was compared with. When the two ids differ, the item is compared once more, from
// its snapshot. So unchanged pages cost nothing more, and no page is read twice for the same
// fingerprint.

// reconsider examines a page whose content has not changed: its redirects may lead elsewhere than
// before, and the content may be what its host shows for pages that do not exist.
func (c *check) reconsider(ctx context.Context, o verdict.Outcome) (verdict.Outcome, error) {
	if failure, err := c.followRedirects(ctx); err != nil || failure.Decided() {
		return failure, err
	}
	if failure, err := c.compareLate(ctx); err != nil || failure.Decided() {
		return failure, err
	}
	if c.item.LikeSoft404 != "" && c.basis.Rules.Soft404 {
		return verdict.Outcome{Kind: verdict.LooksMissing, Why: c.item.LikeSoft404}, nil
	}
	return o, nil
}

// followRedirects updates the item's canonical URL when redirects became permanent or ceased to be
// permanent. A canonical URL that the page itself gives takes precedence; it is in the snapshot.
func (c *check) followRedirects(ctx context.Context) (failure verdict.Outcome, err error) {
	it, b := &c.item, c.basis
	var s stored
	if it.HTTPCanonicalURL != "" { // the page may give a canonical URL
		if !b.HasMoved(it) || it.HTTPCanonicalURL != b.MovedTo {
			return failure, nil
		}
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return failure, err
		}
	}
	b.NoteCanonical(it, s.doc, c.now())
	return failure, nil
}

// compareLate compares the stored content with the host's present soft-404 fingerprint, unless that
// was done before. If the snapshot cannot be read, the check fails.
func (c *check) compareLate(ctx context.Context) (failure verdict.Outcome, err error) {
	it, b := &c.item, c.basis
	o, err := politeness.OriginOf(verdict.FetchURL(it))
	if err != nil || !b.Rules.Soft404 || it.Exclusion != "" || verdict.IsRoot(it.NormalizedSource) {
		return failure, nil
	}
	id := c.batch.Fingerprints[o.Scheme]
	if id == it.Soft404Fingerprint {
		return failure, nil
	}
	c.release() // no further request to the site is needed
	known, err := c.prober().Known(ctx, o, id)
	if err != nil {
		return failure, err
	}
	looks, compare := known.ShownByStored(it, b)
	if compare {
		var s stored
		if s, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return failure, err
		}
		if s.doc.VisibleText != "" && known.Matches(verdict.Describe(s.doc, it.ContentHash, verdict.FetchURL(it))) {
			looks = verdict.WhySoft404
		}
	}
	it.Soft404Fingerprint, it.LikeSoft404 = known.ID, looks
	return failure, nil
}
