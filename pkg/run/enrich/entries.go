package enrich

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// Status is how far an entry's enrichment is.
type Status string

// The statuses of an entry; "" was never enriched.
const (
	Pending  Status = "pending" // in a batch
	Enriched Status = "enriched"
	Failed   Status = "failed" // the fields, if any, are those from before
)

// Record is what an entry keeps of its enrichment.
type Record struct {
	Status Status    `col:"tier1_status,always"`
	Batch  string    `col:"tier1_batch_id,always"` // that has it, or had it; "" for an entry that was enriched at once
	Digest string    `col:"tier1_digest,always"`   // of what Fields were made from
	Fields Fields    `col:",inline"`
	Model  string    `col:"tier1_model,always"` // that made Fields
	Usage  llm.Usage // that Fields were charged for
	Error  string    `col:"tier1_error,always"` // of a Failed entry
	At     time.Time `col:"tier1_at,always"`    // of the last change
}

// Entry is an entry as far as it is enriched.
type Entry struct {
	ID          string
	Title, Text string
	Tier1       Record
	// Revision is whatever the store knows the entry's present state by.
	Revision string
}

// Entries are where entries are kept, by schema and id.
type Entries interface {
	// Load reads an entry; NotFound if there is none.
	Load(ctx context.Context, schema, id string) (Entry, error)
	// Write makes r the record of an entry that is as it was loaded, and leaves all else alone;
	// Conflict if the entry has changed since in any way, NotFound if it is gone.
	Write(ctx context.Context, schema string, e Entry, r Record) error
}

// maxReloads bounds how often an entry is read again because somebody else wrote it.
const maxReloads = 8

// change reads an entry and writes what decide makes of it, until nobody comes between. A decision
// that is false writes nothing.
func change(ctx context.Context, entries Entries, schema, id string, decide func(Entry) (Record, bool)) error {
	for range maxReloads {
		e, err := entries.Load(ctx, schema, id)
		if err != nil {
			return err
		}
		r, write := decide(e)
		if !write {
			return nil
		}
		if err := entries.Write(ctx, schema, e, r); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "entry %s is being changed again and again", id)
}
