package backfill

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Bounds on the work and the memory that one source may cause.
const (
	// MaxDocuments is the most documents that are read of one source in a run, failed ones included.
	MaxDocuments = 10_000
	// maxFrontier and maxFrontierBytes bound the documents that wait.
	maxFrontier      = 2_000
	maxFrontierBytes = 400_000
	// maxDepth is how deep sitemaps may nest. The protocol has one level; sites have two.
	maxDepth = 3
	// maxTries is how often a document is asked for that its site fails to give.
	maxTries = 3
	// maxPatience is how long a run waits for one document of a site that is busy or asks for a pause.
	maxPatience = 24 * time.Hour
	// maxInARow is how many documents may fail one after the other before a source is left.
	maxInARow = 5
)

// doc is a document that waits to be read.
type doc struct {
	URL   string `json:"u"`
	Kind  string `json:"k"`
	Depth int    `json:"d,omitempty"` // of sitemaps: indexes above it
	List  int    `json:"l,omitempty"` // of archives and listings: which of the site's
	Page  int    `json:"p,omitempty"` // and which page of its template
	Tries int    `json:"t,omitempty"`
}

// The kinds of documents.
const (
	docMap       = "map"
	docRobots    = "robots"
	docArchive   = "archive"
	docListing   = "listing"
	docContainer = "container"
)

// Cursor is where the next step of a source begins.
type Cursor struct {
	Begun  bool  `json:"begun"`
	Docs   []doc `json:"docs,omitempty"`
	Failed []doc `json:"failed,omitempty"` // given up; a resume asks for them again
	InARow int   `json:"inARow,omitempty"` // of them, one after the other
	Read   int   `json:"read,omitempty"`   // documents that could be read
	Asked  int   `json:"asked,omitempty"`  // all that were asked for
	// Why the last of them could not be read, and since when the next is waited for.
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// The document whose links are being registered, if any.
	Now    *doc   `json:"now,omitempty"`
	Next   string `json:"next,omitempty"`  // where it goes on
	Fresh  int    `json:"fresh,omitempty"` // links of it that were not counted before
	Token  string `json:"token,omitempty"` // of its rows
	Slices int    `json:"slices,omitempty"`
	Slice  int    `json:"slice,omitempty"`  // the next of them
	Offset int    `json:"offset,omitempty"` // in that slice
	Ended  bool   `json:"ended,omitempty"`
}

// checkpoint is the row of one source of a run.
type checkpoint struct {
	RowVersion int       `col:"rowVersion"`
	Run        string    `col:"run"`
	Source     string    `col:"source"`
	Step       int64     `col:"step"`     // of the next message
	Reserved   int       `col:"reserved"` // addresses that the next step may register
	NotBefore  time.Time `col:"notBefore"`
	UpdatedAt  time.Time `col:"updatedAt"`
	Cursor     `col:"cursor,gzip,must"`
	Traps      []byte `col:"traps"` // state of [discover.Traps]; empty before the first address

	seen  map[uint64]bool // addresses and documents that were counted
	fresh []uint64        // of these, since the checkpoint was written
	last  seenRow         // the row of them that is not full
	etag  storage.ETag
}

// seenRow is a row of hashes of what was counted.
type seenRow struct {
	number int
	hashes []byte
}

var checkpoints = row.Of[checkpoint]()

func checkpointRow(run, source string) string { return "lane|" + run + "|" + source + "|" }

func newCheckpoint(run, source string, now time.Time) *checkpoint {
	return &checkpoint{RowVersion: 1, Run: run, Source: source, UpdatedAt: now, seen: map[uint64]bool{}}
}

// op writes the row.
func (c *checkpoint) op() storage.Op {
	return checkpoints.Put(key(checkpointRow(c.Run, c.Source)), c.etag, c)
}

// workRows are the rows of work of runs: checkpoints, what was counted, links.
type workRows struct{ runs *run.Runs[Run] }

// loadCheckpoint reads a checkpoint and what it has seen with one query; NotFound if there is none.
func (k workRows) loadCheckpoint(ctx context.Context, run, source string) (*checkpoint, error) {
	c, prefix := newCheckpoint(run, source, time.Time{}), checkpointRow(run, source)
	for e, err := range k.runs.Table.Query(ctx, k.runs.Prefix(prefix)) {
		if err != nil {
			return nil, err
		}
		if e.Row != prefix {
			c.recall(e)
			continue
		}
		if *c, err = checkpoints.Decode(e.Props); err != nil {
			return nil, fault.New(fault.Internal, "the checkpoint of %s in run %s is damaged: %w", source, run, err)
		}
		c.seen, c.etag = map[uint64]bool{}, e.ETag
	}
	if c.etag == "" {
		return nil, fault.New(fault.NotFound, "run %s has not begun with %s", run, source)
	}
	return c, nil
}

// seenRowBytes is how much one row of hashes holds: 4,000 of them.
const seenRowBytes = 32_000

func (c *checkpoint) recall(e storage.Entity) {
	hashes, _ := e.Props["hashes"].([]byte)
	for i := 0; i+8 <= len(hashes); i += 8 {
		c.seen[binary.BigEndian.Uint64(hashes[i:])] = true
	}
	if c.last.hashes = hashes; len(hashes) >= seenRowBytes {
		c.last = seenRow{number: c.last.number + 1}
	}
}

// known reports whether an address was counted before.
func (c *checkpoint) known(address string) bool { return c.seen[xxhash.Sum64String(address)] }

// see reports whether an address is met for the first time.
func (c *checkpoint) see(address string) bool {
	h := xxhash.Sum64String(address)
	if c.seen[h] {
		return false
	}
	c.seen[h] = true
	c.fresh = append(c.fresh, h)
	return true
}

// seenOps write what was seen since the checkpoint was written: one row, or two when one becomes full. last is the row
// that is not full then.
func (c *checkpoint) seenOps() (last seenRow, ops []storage.Op) {
	last = seenRow{c.last.number, bytes.Clone(c.last.hashes)}
	write := func() {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key:   key(fmt.Sprintf("%s%04d", checkpointRow(c.Run, c.Source), last.number)),
			Props: storage.Properties{"hashes": last.hashes},
		}})
	}
	for _, h := range c.fresh {
		if last.hashes = binary.BigEndian.AppendUint64(last.hashes, h); len(last.hashes) >= seenRowBytes {
			write()
			last = seenRow{number: last.number + 1}
		}
	}
	if len(c.fresh) > 0 && len(last.hashes) > 0 {
		write()
	}
	return last, ops
}

// seenIsKept says that what was seen is written, up to a row that is not full.
func (c *checkpoint) seenIsKept(last seenRow) { c.last, c.fresh = last, nil }

// push has a document read later, once; full reports that too many wait.
func (c *checkpoint) push(d doc) (full bool) {
	size := 0
	for _, waiting := range c.Docs {
		size += len(waiting.URL)
	}
	if len(c.Docs) >= maxFrontier || size+len(d.URL) > maxFrontierBytes {
		return true
	}
	if c.see(d.Kind + " " + d.URL) {
		c.Docs = append(c.Docs, d)
	}
	return false
}

// more reports whether there are links or documents that are still to be read.
func (c *checkpoint) more() bool { return c.Token != "" || len(c.Docs) > 0 }
