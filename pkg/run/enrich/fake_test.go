package enrich

import (
	"context"
	"strconv"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// fakeEntries implements [Entries] in memory.
type fakeEntries struct {
	hook   storagetest.Hook // around each load and write
	mu     sync.Mutex
	rows   map[string]Entry // by schema and id
	writes int
}

// Put makes an entry, or changes its title and text.
func (f *fakeEntries) Put(schema, id, title, text string) {
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
func (f *fakeEntries) Delete(schema, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rows, schema+"|"+id)
}

// Writes returns the number of writes.
func (f *fakeEntries) Writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

func (f *fakeEntries) put(schema string, e Entry) {
	f.writes++
	e.Revision = strconv.Itoa(f.writes)
	f.rows[schema+"|"+e.ID] = e
}

func (f *fakeEntries) Load(ctx context.Context, schema, id string) (e Entry, err error) {
	err = f.around(ctx, "entries.Load", func() error {
		var ok bool
		if e, ok = f.rows[schema+"|"+id]; !ok {
			return fault.New(fault.NotFound, "no entry has the id %s", id)
		}
		return nil
	})
	return e, err
}

func (f *fakeEntries) Write(ctx context.Context, schema string, e Entry, r Record) error {
	return f.around(ctx, "entries.Write", func() error {
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
	})
}

func (f *fakeEntries) around(ctx context.Context, op string, do func() error) error {
	call := storagetest.Call{Op: op}
	if err := f.hook.Before(ctx, call); err != nil {
		return err
	}
	f.mu.Lock()
	err := do()
	f.mu.Unlock()
	return f.hook.After(ctx, call, err)
}
