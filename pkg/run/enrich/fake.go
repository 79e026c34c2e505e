package enrich

import (
	"context"
	"strconv"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var _ Entries = (*FakeEntries)(nil)

// FakeEntries keeps the promise of [Entries] in memory, for tests.
type FakeEntries struct {
	// Hook is called before and after each write, and before each load; its error is what the caller
	// sees. May be nil.
	Hook func(op string, after bool) error

	mu     sync.Mutex
	rows   map[string]Entry // by schema and id
	writes int
}

// Put makes an entry, or gives one another title and text.
func (f *FakeEntries) Put(schema, id, title, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows == nil {
		f.rows = map[string]Entry{}
	}
	e := f.rows[schema+"|"+id]
	e.ID, e.Title, e.Text = id, title, text
	f.put(schema, e)
}

// Delete removes an entry.
func (f *FakeEntries) Delete(schema, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rows, schema+"|"+id)
}

// Writes is how many writes there were.
func (f *FakeEntries) Writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

func (f *FakeEntries) put(schema string, e Entry) {
	f.writes++
	e.Revision = strconv.Itoa(f.writes)
	f.rows[schema+"|"+e.ID] = e
}

// Load keeps the promise of the port.
func (f *FakeEntries) Load(_ context.Context, schema, id string) (Entry, error) {
	if err := f.hook("load", false); err != nil {
		return Entry{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.rows[schema+"|"+id]
	if !ok {
		return Entry{}, fault.New(fault.NotFound, "no entry has the id %s", id)
	}
	return e, nil
}

// Write keeps the promise of the port.
func (f *FakeEntries) Write(_ context.Context, schema string, e Entry, r Record) error {
	if err := f.hook("write", false); err != nil {
		return err
	}
	if err := f.write(schema, e, r); err != nil {
		return err
	}
	return f.hook("write", true)
}

func (f *FakeEntries) write(schema string, e Entry, r Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, ok := f.rows[schema+"|"+e.ID]
	switch {
	case !ok:
		return fault.New(fault.NotFound, "no entry has the id %s", e.ID)
	case now.Revision != e.Revision:
		return fault.New(fault.Conflict, "entry %s has changed", e.ID)
	}
	now.Tier1 = r
	f.put(schema, now)
	return nil
}

func (f *FakeEntries) hook(op string, after bool) error {
	if f.Hook == nil {
		return nil
	}
	return f.Hook(op, after)
}
