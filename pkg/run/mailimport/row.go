package mailimport

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// State is the stage of an import.
type State string

// The states of an import.
const (
	Reading    State = "reading"    // mails are being read and inserted
	Enqueueing State = "enqueueing" // the file was read; entries are waiting to be enqueued
	Done       State = "done"
	Failed     State = "failed" // the import ended before the end of the file
)

// Import is one import of a file.
type Import struct {
	ID     string
	V      int    `col:"v"`      // version of the row, always 1
	Schema string `col:"schema"` // schema of the entries
	Path   string `col:"path"`   // full path of the file
	// Size, ETag and Modified distinguish the file from a later file at the same path.
	Size     int64  `col:"size"`
	ETag     string `col:"etag"`
	Modified string `col:"modified"` // time in the format [time.RFC3339Nano]
	Batch    int    `col:"batch"`
	Chunk    int    `col:"chunk"`

	State   State  `col:"state"`
	Message string `col:"message"` // the reason why the import failed
	Offset  int64  `col:"offset"`  // number of bytes of the file that were read, out of Size
	Inside  bool   `col:"inside"`  // Offset is within a mail that is too large

	// These fields count the mails by result.
	Mails    int       `col:"mails"`
	Inserted int       `col:"inserted"`
	Skipped  int       `col:"skipped"`
	Updated  int       `col:"updated"`
	Failed   int       `col:"failed"`
	Failures []Failure `col:"failures,bytes"` // the first [MaxFailures] failures

	Enqueued    int    `col:"enqueued"`      // number of entries sent to tier 1, including enriched ones
	Batches     int    `col:"batches"`       // number of batches in which the entries were enqueued
	NotEnqueued int    `col:"notEnqueued"`   // number of entries that tier 1 refused
	Note        string `col:"note"`          // the reason why tier 1 refused entries
	Pending     []byte `col:"pending,parts"` // ids of entries that are waiting to be enqueued, one per line

	StartedAt time.Time `col:"startedAt"`
	UpdatedAt time.Time `col:"updatedAt"` // when the last piece ended
	EndedAt   time.Time `col:"endedAt"`   // zero while the import is active

	Step int64 `col:"turn"` // number of the next message

	etag storage.ETag
}

// MaxFailures limits the number of failures that an import lists. All failures are counted.
const MaxFailures = 100

// Failure is a mail that was not imported.
type Failure struct {
	Offset    int64  `json:"offset"` // position of the mail's From line in the file
	MessageID string `json:"message_id,omitempty"`
	Reason    string `json:"reason"`
}

// Over reports whether an import has ended.
func (im *Import) Over() bool { return im.State == Done || im.State == Failed }

// file returns the properties that the file had when the import began. If the stored time is damaged, it differs from
// the time of the file, and the import ends.
func (im *Import) file() file.Info {
	modified, _ := time.Parse(time.RFC3339Nano, im.Modified)
	return file.Info{ETag: im.ETag, LastModified: modified, Length: im.Size}
}

// pending returns the ids of entries that are waiting to be enqueued.
func (im *Import) pending() []string { return strings.Fields(string(im.Pending)) }

func (im *Import) setPending(ids []string) { im.Pending = []byte(strings.Join(ids, "\n")) }

const (
	partition = "mbox"
	idPrefix  = "mbox-"
	idLayout  = "20060102t150405z" // ids sort by time
)

func fields(im *Import) run.Fields {
	return run.Fields{ID: &im.ID, Over: im.Over(), Step: &im.Step, UpdatedAt: &im.UpdatedAt, ETag: &im.etag}
}

// Get reads an import. Errors: NotFound; Invalid, with the field import_id, for a malformed id.
func (s *Service) Get(ctx context.Context, id string) (Import, error) { return s.runs.Get(ctx, id) }

// listedFor is how long an import stays in the list after it began.
const listedFor = 90 * 24 * time.Hour

// listed are the columns of an import that [Service.List] reads.
var listed = []string{
	"schema", "path", "size", "state", "message", "offset", "mails", "inserted", "skipped", "updated", "failed",
	"enqueued", "batches", "notEnqueued", "note", "startedAt", "updatedAt", "endedAt",
}

// List returns imports, newest first, up to the given number. It omits their failures, and imports that began more
// than 90 days ago. It costs one query for each thousand imports.
func (s *Service) List(ctx context.Context, top int) ([]Import, error) {
	q := storage.Query{
		Partition: partition, RowFrom: idPrefix + s.o.Clock().Add(-listedFor).UTC().Format(idLayout), RowTo: idPrefix + "~",
		Select: listed,
	}
	var out []Import
	for im, err := range s.runs.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(out) == top {
			out = out[1:]
		}
		out = append(out, im)
	}
	slices.Reverse(out)
	return out, nil
}
