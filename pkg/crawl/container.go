package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// maxContainer is the largest number of blobs or files that one container or folder item keeps in sync.
const maxContainer = 100_000

var maxBlobs = maxContainer // tests set a lower bound

// newListing returns an empty listing of a container or folder. Its files are registered with the
// container's credential.
func newListing(items *registry.Items, place file.Location, credential string) *listing {
	return &listing{
		items: items, location: place, credential: credential, known: map[hashKey]listed{}, sum: sha256.New(),
		waiting: map[manner][]source.Source{}, passed: map[string]*registry.Passed{}, stamps: map[stamp]int{},
	}
}

// read compares a container's listing with the items of its blobs. New and changed blobs become due
// now. If the listing is late or interrupted, what it has registered stays registered: the next one
// goes on there. The returned outcome is decided and states why if the container cannot be listed,
// or if the listing is late.
func (l *listing) read(
	ctx context.Context, entries iter.Seq2[file.Entry, error], isLate func() bool,
) (o verdict.Outcome, err error) {
	if full, err := l.recall(ctx); err != nil {
		return o, err
	} else if full {
		return l.failed(ctx, l.tooMany())
	}
	for e, err := range entries {
		if err == nil && l.files == maxBlobs && (e.Refused == nil || !l.isFolder()) {
			err = l.tooMany()
		}
		if err != nil {
			return l.failed(ctx, err)
		}
		if err := l.add(ctx, e); err != nil {
			return o, err
		}
		if l.registered > 0 && isLate() {
			return verdict.GoesOn("%s listed so far, %d new and %d changed; the listing goes on",
				words.Count(l.files, l.noun()), l.fresh, l.changed), l.flush(ctx)
		}
	}
	return o, l.flush(ctx)
}

// failed returns an outcome for a fault of the container, and an error for a failure of this program.
func (l *listing) failed(ctx context.Context, err error) (verdict.Outcome, error) {
	switch {
	case ctx.Err() != nil:
		return verdict.Outcome{}, err
	case fault.Is(err, fault.NotFound) && l.isFolder():
		return folderIsMissing(), nil
	case fault.Is(err, fault.NotFound):
		return verdict.Missing("the container is not there"), nil
	}
	return verdict.FailedBy(err), nil
}

// listing is the part of a container's or folder's listing that has been read so far, with the items of its files.
type listing struct {
	items                       *registry.Items
	location                    file.Location              // the container or folder
	credential                  string                     // the container's credential
	known                       map[hashKey]listed         // listed files, or with an item that is not gone
	own                         int                        // known files that this folder's last listing had
	sum                         hash.Hash                  // hash of the names and revisions of the listed files
	waiting                     map[manner][]source.Source // files to register
	registered                  int                        // files registered so far
	files, fresh, changed, gone int

	moved   int                         // files of gone that are listed under another name
	full    int                         // files not added, because there are as many items as there may be
	unnamed int                         // blobs skipped, because their names cannot be part of an address
	alike   int                         // files whose names differ from others only in slashes
	passed  map[string]*registry.Passed // what a walk passed over, by reason
	denied  []file.Location             // folders that could not be read, up to maxDenied
	stamps  map[stamp]int               // new files, by their properties
}

// listed is the part of a file's item that the comparison needs. It is small and has no pointers,
// because a container may have many files.
type listed struct {
	// These are the properties of the version that was last read, as package file has them. Times are
	// those of nanos; the ETag is a digest, 0 for none.
	modified, length, checked int64
	etag                      uint64
	recent                    bool
	failing                   bool
	open                      bool // the item has no credential
	same                      bool // the item has the container's credential
	mine                      bool // this folder's listing has found the file
	foreign                   bool // another folder's listing has
	unlisted                  bool // the last listing lacked the file
	listed                    bool
}

// hashKey is the hash of a source.
type hashKey [26]byte

func keyOf(hash string) (k hashKey) {
	copy(k[:], hash)
	return k
}

// listedOf returns what is known of a file.
func (l *listing) listedOf(it *registry.Item) listed {
	i, own := verdict.KnownProperties(it), it.Folder == l.location.Normalized()
	return listed{
		modified: nanos(i.LastModified), length: i.Length, etag: digestOf(i.ETag), recent: i.Recent,
		checked: nanos(it.LastChecked), failing: it.Status == registry.Error,
		open: it.Credential == "", same: it.Credential == l.credential, unlisted: !it.UnlistedSince.IsZero(),
		mine: own, foreign: !own && it.Folder != "",
	}
}

// noTime is what nanos returns for no time.
const noTime = math.MinInt64

// nanos returns a time in nanoseconds since 1970.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixNano()
}

// digestOf returns a digest of an ETag; 0 for none.
func digestOf(etag string) uint64 {
	if etag == "" {
		return 0
	}
	return max(1, xxhash.Sum64String(etag))
}

// etagOf returns an ETag that stands for a digest; "" for none.
func etagOf(digest uint64) string {
	if digest == 0 {
		return ""
	}
	return strconv.FormatUint(digest, 16)
}

// manner is how a file is registered.
type manner struct {
	credential string
	folder     string // the folder that finds the file, or lacks it if unlisted is set; "" if its items say nothing of it
	unlisted   bool
}

func (l *listing) isFolder() bool { return l.location.Kind() == file.Local }

// changed reports whether a file differs from the version that was last read. If the last check
// could not read the file, changed reports whether the file was written after that check.
func (b *listed) changed(e file.Entry) bool {
	read := b.etag != 0 || b.modified != noTime
	return read && !b.isSame(e.Info) || b.failing && nanos(e.LastModified) > b.checked
}

// isSame is [file.Info.Same] for the kept properties, with digests in place of the ETags.
func (b *listed) isSame(i file.Info) bool {
	known := file.Info{ETag: etagOf(b.etag), Length: b.length, Recent: b.recent}
	if b.modified != noTime {
		known.LastModified = time.Unix(0, b.modified)
	}
	i.ETag = etagOf(digestOf(i.ETag))
	return i.Same(known)
}

// recall reads the items of the container's files. It reports whether there are too many items.
func (l *listing) recall(ctx context.Context) (full bool, err error) {
	for it, err := range l.itemsBelow(ctx) {
		if err != nil {
			return false, err
		}
		if len(l.known) == maxBlobs {
			return true, nil
		}
		was := l.listedOf(&it)
		if l.known[keyOf(it.Hash())] = was; was.mine && !was.unlisted {
			l.own++
		}
	}
	return false, nil
}

// itemsBelow yields the items of the container's files. Items that are gone are skipped: a file
// that comes back is treated as new, and over the years the gone items may outnumber the others.
// Items of another account with the same name, at another address, are skipped, too.
func (l *listing) itemsBelow(ctx context.Context) iter.Seq2[registry.Item, error] {
	within := l.location.Normalized() + "/"
	return func(yield func(registry.Item, error) bool) {
		for it, err := range l.items.Neighbours(ctx, l.location.Source()) {
			skip := err == nil && (it.Status == registry.Gone || !strings.HasPrefix(it.NormalizedSource, within))
			if !skip && !yield(it, err) {
				return
			}
		}
	}
}

func (l *listing) tooMany() error {
	if l.isFolder() {
		return fault.New(fault.TooLarge, "the folder has more than %d files, too many to be kept in step; leave some "+
			"out (files.include, files.exclude), or add smaller folders", maxBlobs)
	}
	return fault.New(fault.TooLarge, "the container has more than %d blobs, too many to be kept in step", maxBlobs)
}

// add records one listed file. Several names, such as a/b and a//b, may denote the same source;
// only the name that is listed first is used.
func (l *listing) add(ctx context.Context, e file.Entry) error {
	if e.Refused != nil && l.isFolder() {
		l.pass(e)
		return nil
	}
	l.files++
	if e.Refused != nil {
		l.unnamed++
		return nil
	}
	fmt.Fprintf(l.sum, "%s\x00%s\x00%d\x00%d\n", e.Location, e.ETag, e.Length, stampOf(e.Info).modified)
	src := e.Location.Source()
	key := keyOf(src.Hash())
	was, found := l.known[key]
	wanted := true
	switch {
	case !found:
		l.fresh++
		if l.own > 0 {
			l.stamps[stampOf(e.Info)]++
		}
		was = listed{open: true, same: l.credential == "", mine: l.isFolder()}
	case was.listed:
		l.alike++
		return nil
	case was.changed(e):
		l.changed++
	case was.unlisted:
		was.mine, was.foreign = true, false
	default:
		wanted = l.mayLetIn(was)
	}
	was.listed = true
	if l.known[key] = was; !wanted {
		return nil
	}
	return l.enlist(ctx, src, was)
}

// mayLetIn reports whether the container's credential may open a file that fails with the file's own credential.
func (l *listing) mayLetIn(b listed) bool { return b.failing && l.credential != "" && !b.same }

// enlist adds a file to the files that will be registered together, which makes them due. A file
// that was added with a credential of its own keeps its credential as long as that credential
// works.
func (l *listing) enlist(ctx context.Context, src source.Source, b listed) error {
	var m manner
	if b.open || b.failing {
		m.credential = l.credential
	}
	if b.mine {
		m.folder, m.unlisted = l.location.Normalized(), !b.listed
	}
	if l.waiting[m] = append(l.waiting[m], src); len(l.waiting[m]) < policy.JobItems {
		return nil
	}
	return l.register(ctx, m)
}

// register registers the queued files of one manner, which makes them due.
func (l *listing) register(ctx context.Context, m manner) error {
	o := registry.RegisterOptions{Method: "CONTAINER", Credential: m.credential, Respell: true, Folder: m.folder,
		Unlisted: m.unlisted}
	if l.isFolder() {
		o.Method = "FOLDER"
	}
	for _, got := range l.items.Register(ctx, l.waiting[m], o) {
		if registry.IsItemLimit(got.Err) {
			l.full++
		} else if got.Err != nil {
			return got.Err
		}
	}
	l.registered += len(l.waiting[m])
	delete(l.waiting, m)
	return nil
}

func (l *listing) flush(ctx context.Context) error {
	for m := range l.waiting {
		if err := l.register(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// lost yields the files that are no longer listed, and are not in a folder that could not be read.
// It reads the items again, because [listed] has no addresses, unless every known file is listed.
func (l *listing) lost(ctx context.Context) iter.Seq2[registry.Item, error] {
	return func(yield func(registry.Item, error) bool) {
		if !l.lacksSome() {
			return
		}
		for it, err := range l.itemsBelow(ctx) {
			was, found := l.known[keyOf(it.Hash())]
			skip := err == nil && (!found || was.listed || was.foreign || l.isDenied(it.NormalizedSource))
			if !skip && !yield(it, err) {
				return
			}
		}
	}
}

// lacksSome reports whether a known file that is not another folder's is not listed.
func (l *listing) lacksSome() bool {
	for _, was := range l.known {
		if !was.listed && !was.foreign {
			return true
		}
	}
	return false
}

// finish marks as due the files that are no longer listed. Their own check finds that they are gone.
func (l *listing) finish(ctx context.Context) error {
	for it, err := range l.lost(ctx) {
		if err != nil {
			return err
		}
		l.gone++
		if err := l.enlist(ctx, it.Source(), l.known[keyOf(it.Hash())]); err != nil {
			return err
		}
	}
	return l.flush(ctx)
}

// close records the result of the listing on the container's item.
func (l *listing) close(it registry.Item, now time.Time) (registry.Item, verdict.Outcome) {
	sum := "sha256:" + hex.EncodeToString(l.sum.Sum(nil))
	o := verdict.Unchanged(l.summary())
	if sum != it.ContentHash {
		it.Record(now, "listed", o.Why)
		o, it.LastChanged = verdict.Outcome{Kind: schedule.Changed}, now
	}
	it.RawHash, it.ContentHash, it.Exclusion = sum, sum, verdict.ExclusionContainer
	if l.isFolder() {
		it.Exclusion, it.Cut = verdict.ExclusionFolder, l.unreadWhy()
		it.Listing = registry.Listing{Files: l.files, Passed: l.allPassed()}
	}
	return it, o
}

func (l *listing) summary() string {
	text := fmt.Sprintf("%s: %d new, %d changed, %d no longer there",
		words.Count(l.files, l.noun()), l.fresh, l.changed, l.gone)
	if l.moved > 0 {
		text += fmt.Sprintf(" of which %d moved", l.moved)
	}
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
	if passed := passedText(l.allPassed()); passed != "" {
		text += "; " + passed
	}
	return text
}

func (l *listing) noun() string {
	if l.isFolder() {
		return "file"
	}
	return "blob"
}
