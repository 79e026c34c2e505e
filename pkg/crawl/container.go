package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// MaxContainer is the largest number of blobs that one container item keeps in sync.
const MaxContainer = 100_000

var maxBlobs = MaxContainer // tests set a lower bound

// newListing returns an empty listing. Its blobs are registered with the container's credential.
func newListing(items *registry.Items, credential string) *listing {
	return &listing{
		items: items, credential: credential, known: map[string]*blob{}, sum: sha256.New(),
		waiting: map[string][]source.Source{},
	}
}

// read compares a container's listing with the items of its blobs. New and changed blobs become due now. Blobs that
// are no longer listed become due, too: their own check finds that they are gone. If the listing is interrupted, read
// returns an error and is called again later; the blobs that it has registered stay registered. If the container
// cannot be listed, the returned outcome is decided and states why.
func (l *listing) read(
	ctx context.Context, place file.Location, entries iter.Seq2[file.Entry, error],
) (o verdict.Outcome, err error) {
	if full, err := l.recall(ctx, place); err != nil {
		return o, err
	} else if full {
		return listingFailed(ctx, tooManyBlobs())
	}
	for e, err := range entries {
		if err == nil && l.blobs == maxBlobs {
			err = tooManyBlobs()
		}
		if err != nil {
			return listingFailed(ctx, err)
		}
		if err := l.add(ctx, e); err != nil {
			return o, err
		}
	}
	return o, l.finish(ctx)
}

// listingFailed returns an outcome for a fault of the container, and an error for a failure of this program.
func listingFailed(ctx context.Context, err error) (verdict.Outcome, error) {
	switch {
	case ctx.Err() != nil:
		return verdict.Outcome{}, err
	case fault.Is(err, fault.NotFound):
		return verdict.Missing("the container is not there"), nil
	}
	return verdict.FailedBy(err), nil
}

// listing is the part of a container's listing that has been read so far, with the items of its blobs.
type listing struct {
	items                       *registry.Items
	credential                  string                     // the container's credential
	known                       map[string]*blob           // by source hash: listed blobs, or with an item not gone
	sum                         hash.Hash                  // hash of the names and revisions of the listed blobs
	waiting                     map[string][]source.Source // blobs to register, by the credential they will get
	blobs, fresh, changed, gone int
	full                        int // blobs not added, because the store holds the maximum number of items
	alike                       int // blobs skipped, because their names differ from an earlier name only in slashes
	unnamed                     int // blobs skipped, because their names cannot be part of an address
}

// blob is the part of a blob's item that the comparison needs. It is small, because a container may have many blobs.
type blob struct {
	source     source.Source
	etag       string
	credential string
	checked    time.Time
	failing    bool
	listed     bool
}

// changed reports whether a blob differs from the version that was last read. If the last check could not read the
// blob, changed reports whether the blob was written after that check.
func (b *blob) changed(e file.Entry) bool {
	return b.etag != "" && b.etag != e.ETag || b.failing && e.LastModified.After(b.checked)
}

// recall reads the items of the container's blobs. It reports whether there are too many items. Items that are gone
// are skipped: a blob that comes back is treated as new, and over the years the gone items may outnumber the others.
// Items of another account with the same name, at another address, are skipped, too.
func (l *listing) recall(ctx context.Context, place file.Location) (full bool, err error) {
	within := place.Normalized() + "/"
	for it, err := range l.items.Neighbours(ctx, place.Source()) {
		if err != nil {
			return false, err
		}
		if it.Status == registry.Gone || !strings.HasPrefix(it.NormalizedSource, within) {
			continue
		}
		if len(l.known) == maxBlobs {
			return true, nil
		}
		l.known[it.Hash()] = &blob{
			source: it.Source(), etag: it.FileEtag, credential: it.Credential,
			checked: it.LastChecked, failing: it.Status == registry.Error,
		}
	}
	return false, nil
}

func tooManyBlobs() error {
	return fault.New(fault.TooLarge, "the container has more than %d blobs, too many to be kept in step", maxBlobs)
}

// add records one listed blob. Several names, such as a/b and a//b, may denote the same source; only the name that is
// listed first is used.
func (l *listing) add(ctx context.Context, e file.Entry) error {
	l.blobs++
	if e.Refused != nil {
		l.unnamed++
		return nil
	}
	fmt.Fprintf(l.sum, "%s\x00%s\x00%d\n", e.Location, e.ETag, e.Length)
	src := e.Location.Source()
	was := l.known[src.Hash()]
	switch {
	case was == nil:
		l.fresh++
		was = &blob{source: src}
		l.known[src.Hash()] = was
	case was.listed:
		l.alike++
		return nil
	case was.changed(e):
		l.changed++
	case !l.mayLetIn(was):
		was.listed = true
		return nil
	}
	was.listed = true
	return l.enlist(ctx, src, was)
}

// mayLetIn reports whether the container's credential may open a blob that fails with the blob's own credential.
func (l *listing) mayLetIn(b *blob) bool {
	return b.failing && l.credential != "" && b.credential != l.credential
}

// enlist adds a blob to the blobs that will be registered together, which makes them due. A blob that was added with
// a credential of its own keeps its credential as long as that credential works.
func (l *listing) enlist(ctx context.Context, src source.Source, b *blob) error {
	credential := ""
	if b.credential == "" || b.failing {
		credential = l.credential
	}
	if l.waiting[credential] = append(l.waiting[credential], src); len(l.waiting[credential]) < registry.JobItems {
		return nil
	}
	return l.register(ctx, credential)
}

// register registers the queued blobs of one credential, which makes them due.
func (l *listing) register(ctx context.Context, credential string) error {
	o := registry.RegisterOptions{Method: "CONTAINER", Credential: credential, Respell: true}
	for _, got := range l.items.Register(ctx, l.waiting[credential], o) {
		if registry.IsItemLimit(got.Err) {
			l.full++
		} else if got.Err != nil {
			return got.Err
		}
	}
	delete(l.waiting, credential)
	return nil
}

// finish marks as due the blobs that are no longer listed.
func (l *listing) finish(ctx context.Context) error {
	for _, was := range l.known {
		if was.listed {
			continue
		}
		l.gone++
		if err := l.enlist(ctx, was.source, was); err != nil {
			return err
		}
	}
	for credential := range l.waiting {
		if err := l.register(ctx, credential); err != nil {
			return err
		}
	}
	return nil
}

// close records the result of the listing on the container's item.
func (l *listing) close(it registry.Item, now time.Time) (registry.Item, verdict.Outcome) {
	sum := "sha256:" + hex.EncodeToString(l.sum.Sum(nil))
	o := verdict.Unchanged("")
	if sum != it.ContentHash {
		o.Kind, it.LastChanged = schedule.Changed, now
	}
	it.RawHash, it.ContentHash, it.Exclusion = sum, sum, verdict.ExclusionContainer
	it.Record(now, "listed", l.summary())
	return it, o
}

func (l *listing) summary() string {
	text := fmt.Sprintf("%s: %d new, %d changed, %d no longer there",
		words.Count(l.blobs, "blob"), l.fresh, l.changed, l.gone)
	if l.alike > 0 {
		text += fmt.Sprintf("; %d passed over, their names differ from others' only by repeated slashes", l.alike)
	}
	if l.unnamed > 0 {
		const why = "; %d passed over, their names have segments of dots, control characters or are too long"
		text += fmt.Sprintf(why, l.unnamed)
	}
	if l.full > 0 {
		text += fmt.Sprintf("; %d not added, there are as many items as there may be (LIMIT_ITEMS_PER_HOST)", l.full)
	}
	return text
}
