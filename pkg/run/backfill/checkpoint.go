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
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Bounds on the work and the memory that one source may cause.
const (
	// maxDocuments limits the number of documents that a run reads from one source, including documents that fail.
	maxDocuments = 10_000
	// maxFrontier and maxFrontierBytes bound the documents that are waiting to be read.
	maxFrontier      = 2_000
	maxFrontierBytes = 400_000
	// maxDepth limits the nesting of sitemaps. The protocol allows one level; some sites have two.
	maxDepth = 3
	// maxTries limits the number of requests for a document that its site fails to serve.
	maxTries = 3
	// maxPatience is how long a run waits for one document of a site that is busy or asks for a pause.
	maxPatience = 24 * time.Hour
	// maxInARow is the number of documents that may fail in a row before the source fails.
	maxInARow = 5
)

// doc is a document that is waiting to be read.
type doc struct {
	URL   string `json:"u"`
	Kind  string `json:"k"`
	Depth int    `json:"d,omitempty"` // for sitemaps: the number of indexes above it
	List  int    `json:"l,omitempty"` // for archives and listings: the index of the template in the site file
	Page  int    `json:"p,omitempty"` // the page number within that template
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

// Cursor is the position from which the next step of a source continues.
type Cursor struct {
	Begun  bool  `json:"begun"`
	Docs   []doc `json:"docs,omitempty"`
	Failed []doc `json:"failed,omitempty"` // documents that were given up; after a resume they are requested again
	InARow int   `json:"inARow,omitempty"` // number of documents that have failed in a row
	Read   int   `json:"read,omitempty"`   // number of documents that were read successfully
	Asked  int   `json:"asked,omitempty"`  // number of documents that were requested
	// Why is the reason why the last document failed. Since is the time from which the source has waited for the next
	// document.
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// Now is the document whose links are being registered, or nil.
	Now    *doc   `json:"now,omitempty"`
	Next   string `json:"next,omitempty"`  // the address of the document's next page
	Fresh  int    `json:"fresh,omitempty"` // number of the document's links that were not counted before
	Token  string `json:"token,omitempty"` // the token in the keys of the document's link rows
	Slices int    `json:"slices,omitempty"`
	Slice  int    `json:"slice,omitempty"`  // the index of the next link row
	Offset int    `json:"offset,omitempty"` // the position in that row
	Ended  bool   `json:"ended,omitempty"`
	// Listed is whether a document lists pages. Guessed is whether the site's other name was asked because none does.
	Listed  bool `json:"listed,omitempty"`
	Guessed bool `json:"guessed,omitempty"`
	// Walk is the progress of a source whose links are followed, and Walked the number of its last step. All reports
	// that it has ended, and Left what it leaves.
	Walk   *walk.Walk `json:"walk,omitempty"`
	Walked int64      `json:"walked,omitempty"`
	All    bool       `json:"all,omitempty"`
	Left   string     `json:"left,omitempty"`
}

// checkpoint is the row of one source of a run.
type checkpoint struct {
	RowVersion int       `col:"rowVersion"`
	Run        string    `col:"run"`
	Source     string    `col:"source"`
	Step       int64     `col:"step"`     // the number of the next message
	Reserved   int       `col:"reserved"` // number of addresses that the next step may register
	NotBefore  time.Time `col:"notBefore"`
	UpdatedAt  time.Time `col:"updatedAt"`
	Cursor     `col:"cursor,gzip,must"`
	Traps      []byte `col:"traps"` // the state of [discover.Traps]; empty before the first address

	seen  map[uint64]bool // hashes of the addresses and documents that were counted
	fresh []uint64        // hashes added since the checkpoint was last written
	last  seenRow         // the last row of hashes, which is not full
	etag  storage.ETag
}

// seenRow is a row with the hashes of counted addresses and documents.
type seenRow struct {
	number int
	hashes []byte
}

var checkpoints = row.Of[checkpoint]()

func checkpointRow(run, source string) string { return "lane|" + run + "|" + source + "|" }

func newCheckpoint(run, source string, now time.Time) *checkpoint {
	return &checkpoint{RowVersion: 1, Run: run, Source: source, UpdatedAt: now, seen: map[uint64]bool{}}
}

// op returns the operation that writes the checkpoint's row.
func (c *checkpoint) op() storage.Op {
	return checkpoints.Put(key(checkpointRow(c.Run, c.Source)), c.etag, c)
}

// workRows reads and writes the rows that hold the work of runs: checkpoints, hashes of counted pages, and links.
type workRows struct{ runs *run.Runs[Run] }

// loadCheckpoint reads a checkpoint and its hashes with one query. It returns NotFound if there is no checkpoint.
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

// seenRowBytes is the size of a full row, which contains 4,000 hashes.
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

// known reports whether an address has been counted.
func (c *checkpoint) known(address string) bool { return c.seen[xxhash.Sum64String(address)] }

// see adds an address to the counted ones, and reports whether it is new.
func (c *checkpoint) see(address string) bool {
	h := xxhash.Sum64String(address)
	if c.seen[h] {
		return false
	}
	c.seen[h] = true
	c.fresh = append(c.fresh, h)
	return true
}

// seenOps returns the operations that write the hashes added since the checkpoint was last written. They write one
// row, or two when a row becomes full. It also returns the row that is not full afterwards.
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

// seenIsKept records that the hashes have been written. The argument last is the row that is not full.
func (c *checkpoint) seenIsKept(last seenRow) { c.last, c.fresh = last, nil }

// push queues a document, unless it was queued before. It reports whether too many documents are already waiting.
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

// more reports whether links or documents remain to be read.
func (c *checkpoint) more() bool { return c.Token != "" || len(c.Docs) > 0 }
