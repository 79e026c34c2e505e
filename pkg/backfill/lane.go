package backfill

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Bounds of what one source may have us do and keep.
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
	// maxPatience is how long a site may have us wait for one document, busy or asking for a pause.
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

// cursor is where the next step of a source begins.
type cursor struct {
	Begun  bool  `json:"begun"`
	Docs   []doc `json:"docs,omitempty"`
	Failed []doc `json:"failed,omitempty"` // given up; a resume asks for them again
	InARow int   `json:"inARow,omitempty"` // of them, one after the other
	Read   int   `json:"read,omitempty"`   // documents that could be read
	Asked  int   `json:"asked,omitempty"`  // all that were asked for
	// Why the last of them could not be read, and since when the site has us wait for the next.
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// The document whose links are looked at now, if any.
	Now    *doc   `json:"now,omitempty"`
	Next   string `json:"next,omitempty"`  // where it goes on
	Fresh  int    `json:"fresh,omitempty"` // links of it that were not counted before
	Token  string `json:"token,omitempty"` // of its rows
	Slices int    `json:"slices,omitempty"`
	Slice  int    `json:"slice,omitempty"`  // the next of them
	Offset int    `json:"offset,omitempty"` // in that slice
	Ended  bool   `json:"ended,omitempty"`
}

// lane is the row of one source of a run.
type lane struct {
	run, source string
	step        int64 // of the next message
	reserved    int   // addresses that the next step may register
	notBefore   time.Time
	updatedAt   time.Time
	cursor
	traps []byte // state of [discover.Traps]; empty before the first address

	seen     map[uint64]bool // addresses and documents that were counted
	fresh    []uint64        // of these, since the lane was read
	lastSeen []byte          // the row of them that is not full
	seenRow  int             // its number
	etag     storage.ETag
}

func laneRow(run, source string) string { return "lane|" + run + "|" + source + "|" }

func newLane(run, source string, now time.Time) *lane {
	return &lane{run: run, source: source, updatedAt: now, seen: map[uint64]bool{}}
}

func (l *lane) entity() (storage.Entity, error) {
	props := storage.Properties{
		"rowVersion": int64(1), "run": l.run, "source": l.source, "step": l.step, "reserved": int64(l.reserved),
		"notBefore": storage.FormatTime(l.notBefore), "updatedAt": storage.FormatTime(l.updatedAt),
	}
	if len(l.traps) > 0 {
		props["traps"] = l.traps
	}
	c, err := json.Marshal(l.cursor)
	if err != nil {
		return storage.Entity{}, err
	}
	pack(props, "cursor", c)
	return storage.Entity{Key: key(laneRow(l.run, l.source)), ETag: l.etag, Props: props}, nil
}

// loadLane reads a lane and what it has seen with one query; NotFound if there is none.
func (s *Service) loadLane(ctx context.Context, run, source string) (*lane, error) {
	l := newLane(run, source, time.Time{})
	prefix := laneRow(run, source)
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: prefix, RowTo: prefix[:len(prefix)-1] + afterBar}) {
		if err != nil {
			return nil, err
		}
		if e.Row == prefix {
			if err := l.read(e); err != nil {
				return nil, err
			}
			continue
		}
		l.recall(e)
	}
	if l.etag == "" {
		return nil, fault.New(fault.NotFound, "run %s has not begun with %s", run, source)
	}
	return l, nil
}

func (l *lane) read(e storage.Entity) error {
	l.step, _ = e.Props["step"].(int64)
	reserved, _ := e.Props["reserved"].(int64)
	l.reserved = int(reserved)
	notBefore, _ := e.Props["notBefore"].(string)
	updatedAt, _ := e.Props["updatedAt"].(string)
	l.notBefore, l.updatedAt = storage.ParseTime(notBefore), storage.ParseTime(updatedAt)
	l.traps, _ = e.Props["traps"].([]byte)
	l.etag = e.ETag
	c, err := unpack(e.Props, "cursor")
	if err == nil {
		err = json.Unmarshal(c, &l.cursor)
	}
	if err != nil {
		return fmt.Errorf("the row of %s in run %s is damaged: %w", l.source, l.run, err)
	}
	return nil
}

// seenRowBytes is how much one row of hashes holds: 4,000 of them.
const seenRowBytes = 32_000

func (l *lane) recall(e storage.Entity) {
	hashes, _ := e.Props["hashes"].([]byte)
	for i := 0; i+8 <= len(hashes); i += 8 {
		l.seen[binary.BigEndian.Uint64(hashes[i:])] = true
	}
	if l.lastSeen = hashes; len(hashes) >= seenRowBytes {
		l.lastSeen = nil
		l.seenRow++
	}
}

// known reports whether an address was counted before.
func (l *lane) known(address string) bool { return l.seen[xxhash.Sum64String(address)] }

// see reports whether an address is met for the first time.
func (l *lane) see(address string) bool {
	h := xxhash.Sum64String(address)
	if l.seen[h] {
		return false
	}
	l.seen[h] = true
	l.fresh = append(l.fresh, h)
	return true
}

// seenOps write what was seen since the lane was read: one row, or two when one becomes full.
func (l *lane) seenOps() (ops []storage.Op) {
	row, hashes := l.seenRow, bytes.Clone(l.lastSeen)
	flush := func() {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: key(fmt.Sprintf("%s%04d", laneRow(l.run, l.source), row)), Props: storage.Properties{"hashes": hashes},
		}})
		row, hashes = row+1, nil
	}
	for _, h := range l.fresh {
		if hashes = binary.BigEndian.AppendUint64(hashes, h); len(hashes) >= seenRowBytes {
			flush()
		}
	}
	if len(l.fresh) > 0 && len(hashes) > 0 {
		flush()
	}
	return ops
}

// push has a document read later, once; full reports that too many wait.
func (l *lane) push(d doc) (full bool) {
	size := 0
	for _, waiting := range l.Docs {
		size += len(waiting.URL)
	}
	if len(l.Docs) >= maxFrontier || size+len(d.URL) > maxFrontierBytes {
		return true
	}
	if l.see(d.Kind + " " + d.URL) {
		l.Docs = append(l.Docs, d)
	}
	return false
}

// openTraps gives the judge of endless spaces in the state that the last step left it in.
func (l *lane) openTraps(begun time.Time) (*discover.Traps, error) {
	t := discover.NewTraps(begun)
	if len(l.traps) == 0 {
		return t, nil
	}
	return t, json.Unmarshal(l.traps, t)
}

// columnBytes is what one column of a packed text holds; a column may have 64 KiB.
const columnBytes = 60_000

// pack compresses a text into as many columns as it needs, which are called name and a number.
func pack(props storage.Properties, name string, text []byte) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text) // a bytes.Buffer takes everything
	_ = z.Close()
	for i := 0; b.Len() > 0; i++ {
		props[fmt.Sprintf("%s%d", name, i)] = bytes.Clone(b.Next(columnBytes))
	}
}

func unpack(props storage.Properties, name string) ([]byte, error) {
	var packed []byte
	for i := 0; ; i++ {
		part, ok := props[fmt.Sprintf("%s%d", name, i)].([]byte)
		if !ok {
			break
		}
		packed = append(packed, part...)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
