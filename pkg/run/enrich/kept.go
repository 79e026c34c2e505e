package enrich

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Schemas returns the schemas of package entries, as strings.
func Schemas() (names []string) {
	for _, s := range entries.Schemas {
		names = append(names, string(s))
	}
	return names
}

// Kept adapts the store of package entries to [Entries].
type Kept struct{ Store *entries.Store }

var _ Entries = Kept{}

// Load implements [Entries]. It returns the cleanest text that the entry has.
func (k Kept) Load(ctx context.Context, schema, id string) (Entry, error) {
	f, read, err := k.Store.In(entries.Schema(schema)).Read(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	return Entry{
		ID: id, Title: f.Text("title"), Text: cmp.Or(f.Text("clean_text"), f.Text("extracted_text"), f.Text("capture_text")),
		Tier1: recordOf(f), Revision: string(read),
	}, nil
}

// Write implements [Entries].
func (k Kept) Write(ctx context.Context, schema string, e Entry, r Record) error {
	err := k.Store.In(entries.Schema(schema)).Describe(ctx, e.ID, entries.Revision(e.Revision), columnsOf(r))
	if fault.Is(err, fault.Invalid) {
		return fault.New(fault.Internal, "tier 1 of %s: %w", e.ID, err) // Unreachable: the columns are declared here.
	}
	return err
}

// columns are the columns of an entry that contain its record.
type columns struct {
	Record   `col:",inline"`
	Keywords string  `col:"keywords,always"` // a JSON list
	In       int     `col:"tier1_tokens_in"`
	Out      int     `col:"tier1_tokens_out"`
	Cost     float64 `col:"tier1_cost"`
}

var keptColumns = row.Of[columns]()

func columnsOf(r Record) entry.Fields {
	c := columns{Record: r, In: r.Usage.In, Out: r.Usage.Out, Cost: r.Usage.Cost}
	if len(r.Fields.Keywords) > 0 {
		list, _ := json.Marshal(r.Fields.Keywords) // encoding strings cannot fail
		c.Keywords = string(list)
	}
	return entry.Fields(keptColumns.Encode(&c))
}

func recordOf(f entry.Fields) Record {
	c, _ := keptColumns.Decode(storage.Properties(f)) // an entry without columns can be decoded, too
	c.Usage = llm.Usage{In: c.In, Out: c.Out, Cost: c.Cost}
	_ = json.Unmarshal([]byte(c.Keywords), &c.Fields.Keywords) // if the list is damaged, it counts as empty
	return c.Record
}

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
