package enrich

import (
	"cmp"
	"context"
	"encoding/json"

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
