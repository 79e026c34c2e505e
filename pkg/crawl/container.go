package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/source"
)

// MaxContainer is the most blobs that one container item keeps in step.
const MaxContainer = 100_000

// exclusionContainer is why a container itself is not searched.
const exclusionContainer = "a container: its blobs are items of their own"

// checkContainer compares a container's listing with the items of its blobs. New and changed ones
// come due now, and so do those that it no longer lists: their own check finds that they are gone.
// A listing that was interrupted ends in an error and is done again; what it registered stays.
func (c *check) checkContainer(ctx context.Context, place file.Place) error {
	if err := c.wait(ctx); err != nil {
		return err
	}
	l := &listing{check: c, known: map[string]blob{}, sum: sha256.New()}
	if err := l.recall(ctx, place); err != nil {
		return err
	}
	defer c.answered()
	for e, err := range c.o.Files.List(ctx, place, c.Credential) {
		if err == nil && l.blobs == MaxContainer {
			err = tooManyBlobs()
		}
		if err != nil {
			return l.failed(ctx, err)
		}
		if err := l.add(ctx, e); err != nil {
			return err
		}
	}
	return l.finish(ctx)
}

// listing is a container's listing as far as it was read.
type listing struct {
	*check
	known                 map[string]blob // by hash; those not listed yet
	sum                   hash.Hash       // of names and revisions
	waiting               []source.Source // to be registered
	blobs, fresh, changed int
}

// blob is what is known of one: as little as comparing takes, for there may be many.
type blob struct {
	source source.Source
	etag   string
	gone   bool
}

// recall reads the items of the container's blobs.
func (l *listing) recall(ctx context.Context, place file.Place) error {
	for it, err := range l.reg.Neighbours(ctx, place.Source()) {
		if err == nil && len(l.known) > MaxContainer {
			err = tooManyBlobs()
		}
		if err != nil {
			return err
		}
		l.known[it.Hash()] = blob{source: it.Source(), etag: it.FileEtag, gone: it.Status == registry.Gone}
	}
	delete(l.known, l.Hash())
	return nil
}

func tooManyBlobs() error {
	return fault.New(fault.TooLarge, "the container has more than %d blobs, too many to be kept in step", MaxContainer)
}

// add takes note of one blob.
func (l *listing) add(ctx context.Context, e file.Entry) error {
	l.blobs++
	fmt.Fprintf(l.sum, "%s\x00%s\x00%d\n", e.Place, e.ETag, e.Length)
	src := e.Place.Source()
	was, ok := l.known[src.Hash()]
	delete(l.known, src.Hash())
	switch {
	case !ok:
		l.fresh++
	case was.etag != "" && was.etag != e.ETag, was.gone:
		l.changed++
	default:
		return nil
	}
	return l.enlist(ctx, src)
}

// enlist has a blob checked soon, with others.
func (l *listing) enlist(ctx context.Context, src source.Source) error {
	if l.waiting = append(l.waiting, src); len(l.waiting) < registry.JobItems {
		return nil
	}
	return l.register(ctx)
}

// register has the blobs that wait checked.
func (l *listing) register(ctx context.Context) error {
	o := registry.RegisterOptions{Method: "CONTAINER", Credential: l.Credential}
	for _, got := range l.reg.Register(ctx, l.waiting, o) {
		if got.Err != nil {
			return got.Err
		}
	}
	l.waiting = nil
	return nil
}

// finish has what is not listed any more checked, and closes the check of the container.
func (l *listing) finish(ctx context.Context) error {
	gone := 0
	for _, was := range l.known {
		if was.gone {
			continue
		}
		gone++
		if err := l.enlist(ctx, was.source); err != nil {
			return err
		}
	}
	if err := l.register(ctx); err != nil {
		return err
	}
	l.close(gone)
	return nil
}

// close records what the listing said.
func (l *listing) close(gone int) {
	c, now := l.check, l.o.Clock()
	sum := "sha256:" + hex.EncodeToString(l.sum.Sum(nil))
	c.outcome = schedule.Unchanged
	if sum != c.ContentHash {
		c.outcome, c.LastChanged = schedule.Changed, now
	}
	c.RawHash, c.ContentHash, c.Exclusion = sum, sum, exclusionContainer
	c.Status, c.ErrorMessage = c.statusHeld(), ""
	c.Record(now, "listed", fmt.Sprintf("%d blobs: %d new, %d changed, %d no longer there", l.blobs, l.fresh, l.changed, gone))
}

// failed tells the container's faults from our own.
func (l *listing) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if fault.Is(err, fault.NotFound) {
		return l.missing(ctx, "the container is not there")
	}
	l.retryAfter = fault.RetryAfter(err)
	l.fail("%v", err)
	return nil
}
