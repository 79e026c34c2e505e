package mailimport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/storage"
)

// State is how far an import is.
type State string

// The states of an import.
const (
	Reading    State = "reading"    // mails are being read and inserted
	Enqueueing State = "enqueueing" // the file is through; entries wait to be enqueued
	Done       State = "done"
	Failed     State = "failed" // it ended before the end of the file
)

// Import is one import of a file.
type Import struct {
	ID     string
	Schema string // that entries go to
	Path   string // whole
	File   file.Info
	Batch  int
	Chunk  int

	State   State
	Message string // why it failed
	Offset  int64  // bytes that are through, of File.Length

	// What became of the mails.
	Mails    int
	Inserted int
	Skipped  int
	Updated  int
	Failed   int
	Failures []Failure // the first [MaxFailures]

	Enqueued    int    // entries for tier 1, of which some may be enriched already
	Batches     int    // that they were enqueued in
	NotEnqueued int    // entries that tier 1 did not take
	Note        string // why

	StartedAt time.Time
	UpdatedAt time.Time // when the last piece was done
	EndedAt   time.Time // zero while it goes on

	Turn int64 // of the next message

	inside  bool     // Offset is in a mail that is too large
	pending []string // entries that wait to be enqueued
	etag    storage.ETag
}

// MaxFailures is how many failures an import lists.
const MaxFailures = 100

// Failure is a mail that was not imported.
type Failure struct {
	Offset    int64  `json:"offset"` // of its From line
	MessageID string `json:"message_id,omitempty"`
	Reason    string `json:"reason"`
}

// Over reports whether an import has ended.
func (im *Import) Over() bool { return im.State == Done || im.State == Failed }

const (
	partition    = "mbox"
	activePrefix = "active|"
	afterActive  = "active}"
	idPrefix     = "mbox-"
	idLayout     = "20060102t150405z" // ids sort by time
)

func rowKey(id string) storage.Key { return storage.Key{Partition: partition, Row: id} }

func activeKey(id string) storage.Key { return rowKey(activePrefix + id) }

func checkID(id string) error {
	if !strings.HasPrefix(id, idPrefix) || len(id) > 100 || storage.CheckKey(rowKey(id)) != nil {
		return fault.Field("import_id", "%.100q is not the id of an import", id)
	}
	return nil
}

func (im *Import) entity() storage.Entity {
	props := storage.Properties{
		"v": int64(1), "schema": im.Schema, "path": im.Path, "etag": im.File.ETag, "modified": im.File.LastModified.UTC().Format(time.RFC3339Nano), "size": im.File.Length,
		"batch": int64(im.Batch), "chunk": int64(im.Chunk), "state": string(im.State), "message": im.Message, "offset": im.Offset, "inside": im.inside,
		"mails": int64(im.Mails), "inserted": int64(im.Inserted), "skipped": int64(im.Skipped), "updated": int64(im.Updated), "failed": int64(im.Failed),
		"failures": plainJSON(im.Failures), "enqueued": int64(im.Enqueued), "batches": int64(im.Batches), "notEnqueued": int64(im.NotEnqueued), "note": im.Note,
		"startedAt": storage.FormatTime(im.StartedAt), "updatedAt": storage.FormatTime(im.UpdatedAt), "endedAt": storage.FormatTime(im.EndedAt), "turn": im.Turn,
	}
	// A batch and a piece of entries, with ids of up to 100 bytes, need five columns at most.
	rest := []byte(strings.Join(im.pending, "\n"))
	for i := 0; len(rest) > 0; i++ {
		n := min(len(rest), storage.MaxBinaryBytes)
		props[pendingName(i)], rest = rest[:n], rest[n:]
	}
	return storage.Entity{Key: rowKey(im.ID), ETag: im.etag, Props: props}
}

func pendingName(i int) string { return fmt.Sprintf("pending%d", i) }

// plainJSON does not escape what only HTML minds, so failures stay within a column.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings and numbers always encode
	return b.Bytes()
}

func importOf(e storage.Entity) Import {
	text := func(name string) string { s, _ := e.Props[name].(string); return s }
	number := func(name string) int { n, _ := e.Props[name].(int64); return int(n) }
	wide := func(name string) int64 { n, _ := e.Props[name].(int64); return n }
	when := func(name string) time.Time { return storage.ParseTime(text(name)) }
	inside, _ := e.Props["inside"].(bool)
	modified, _ := time.Parse(time.RFC3339Nano, text("modified")) // damaged: another file, and the import ends
	im := Import{
		ID: e.Row, Schema: text("schema"), Path: text("path"), File: file.Info{ETag: text("etag"), LastModified: modified, Length: wide("size")},
		Batch: number("batch"), Chunk: number("chunk"), State: State(text("state")), Message: text("message"), Offset: wide("offset"), inside: inside,
		Mails: number("mails"), Inserted: number("inserted"), Skipped: number("skipped"), Updated: number("updated"), Failed: number("failed"),
		Enqueued: number("enqueued"), Batches: number("batches"), NotEnqueued: number("notEnqueued"), Note: text("note"),
		StartedAt: when("startedAt"), UpdatedAt: when("updatedAt"), EndedAt: when("endedAt"), Turn: wide("turn"), etag: e.ETag,
	}
	failures, _ := e.Props["failures"].([]byte)
	_ = json.Unmarshal(failures, &im.Failures) // damaged: a list less, the count stays
	var pending []byte
	for i := 0; ; i++ {
		piece, ok := e.Props[pendingName(i)].([]byte)
		if !ok {
			break
		}
		pending = append(pending, piece...)
	}
	im.pending = strings.Fields(string(pending))
	return im
}

// Get reads an import; NotFound if there is none, Invalid, blaming import_id, for what is no id.
func (s *Service) Get(ctx context.Context, id string) (Import, error) {
	if err := checkID(id); err != nil {
		return Import{}, err
	}
	e, err := s.rows.Get(ctx, rowKey(id))
	if fault.Is(err, fault.NotFound) {
		return Import{}, fault.New(fault.NotFound, "no import has the id %s", id)
	}
	if err != nil {
		return Import{}, err
	}
	return importOf(e), nil
}

func (s *Service) activeIDs(ctx context.Context) (ids []string, err error) {
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: partition, RowFrom: activePrefix, RowTo: afterActive}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(e.Row, activePrefix))
	}
	return ids, nil
}

func (s *Service) insert(ctx context.Context, im *Import) error {
	tags, err := s.rows.Transact(ctx,
		storage.Op{Kind: storage.Insert, Entity: im.entity()},
		storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: activeKey(im.ID), Props: storage.Properties{}}})
	if err == nil {
		im.etag = tags[0]
	}
	return err
}

// write stores an import as it now is; Conflict when another process did so before. One that is over
// is no longer listed.
func (s *Service) write(ctx context.Context, im *Import) error {
	ops := []storage.Op{{Kind: storage.Replace, Entity: im.entity()}}
	if im.Over() {
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: activeKey(im.ID), ETag: storage.AnyETag}})
	}
	tags, err := s.rows.Transact(ctx, ops...)
	if err == nil {
		im.etag = tags[0]
	}
	return err
}
