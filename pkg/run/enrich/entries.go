package enrich

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// Status is the state of an entry's enrichment.
type Status string

// The statuses of an entry. An entry that was never enriched has the status "".
const (
	Pending  Status = "pending" // the entry is in a batch
	Enriched Status = "enriched"
	Failed   Status = "failed" // enrichment failed; any fields are from an earlier enrichment
)

// Record is the result of an entry's enrichment, as stored with the entry.
type Record struct {
	Status Status    `col:"tier1_status,always"`
	Batch  string    `col:"tier1_batch_id,always"` // the current or last batch; "" if the entry was enriched alone
	Digest string    `col:"tier1_digest,always"`   // digest of the question that Fields answers
	Fields Fields    `col:",inline"`
	Model  string    `col:"tier1_model,always"` // model that made Fields
	Usage  llm.Usage // tokens charged for Fields
	Error  string    `col:"tier1_error,always"` // error of an entry with the status Failed
	At     time.Time `col:"tier1_at,always"`    // time of the last change
}

// Entry is the part of an entry that is needed for enrichment.
type Entry struct {
	ID          string
	Title, Text string
	Tier1       Record
	// Revision identifies the state of the entry in the store.
	Revision string
}

// Entries stores entries, by schema and id.
type Entries interface {
	// Load reads an entry. Errors: NotFound.
	Load(ctx context.Context, schema, id string) (Entry, error)
	// Write stores r as the record of an entry, if the entry has not changed since it was loaded. It changes nothing
	// else. Errors: Conflict if any part of the entry has changed since; NotFound if the entry no longer exists.
	Write(ctx context.Context, schema string, e Entry, r Record) error
}

// maxReloads limits how often an entry is read again after concurrent writes.
const maxReloads = 8

// change reads an entry and writes the record that the given function returns. If another process writes the entry in
// between, change tries again. If the function returns false, change writes nothing.
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
