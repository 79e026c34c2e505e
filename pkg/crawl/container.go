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
	known, err := c.reg.Neighbours(ctx, place.Source(), MaxContainer+1)
	if err != nil {
		return err
	}
	l := &listing{check: c, known: map[string]*registry.Item{}, sum: sha256.New()}
	for i := range known {
		l.known[known[i].Hash()] = &known[i]
	}
	delete(l.known, c.Hash())
	defer c.answered()
	for e, err := range c.o.Files.List(ctx, place, c.Credential) {
		if err == nil && l.blobs == MaxContainer {
			err = fault.New(fault.TooLarge, "the container has more than %d blobs, too many to be kept in step", MaxContainer)
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
	known                 map[string]*registry.Item // by hash; those not listed yet
	sum                   hash.Hash                 // of names and revisions
	waiting               []source.Source           // to be registered
	blobs, fresh, changed int
}

// add takes note of one blob.
func (l *listing) add(ctx context.Context, e file.Entry) error {
	l.blobs++
	fmt.Fprintf(l.sum, "%s\x00%s\x00%d\n", e.Place, e.ETag, e.Length)
	src := e.Place.Source()
	it := l.known[src.Hash()]
	delete(l.known, src.Hash())
	switch {
	case it == nil:
		l.fresh++
	case it.FileEtag != "" && it.FileEtag != e.ETag, it.Status == registry.Gone:
		l.changed++
	default:
		return nil
	}
	l.waiting = append(l.waiting, src)
	if len(l.waiting) < registry.JobItems {
		return nil
	}
	return l.register(ctx)
}

// register has the blobs that wait checked soon.
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
	for _, it := range l.known {
		if it.Status == registry.Gone {
			continue
		}
		gone++
		if _, err := l.reg.Reindex(ctx, *it, false); err != nil {
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
