package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
)

// entryRow is an entry as JSON: its columns, and beside them what was done.
type entryRow map[string]any

// insertEntry stores one entry or many, each once.
func (s *server) insertEntry(r *http.Request, v *Services) (int, any, error) {
	return s.writeEntries(r, v, (*entries.Session).Insert)
}

// updateEntry changes one entry or many.
func (s *server) updateEntry(r *http.Request, v *Services) (int, any, error) {
	return s.writeEntries(r, v, (*entries.Session).Update)
}

// write is what is done with each entry of a request.
type write func(s *entries.Session, ctx context.Context, f entries.Fields) (entries.Result, error)

func (s *server) writeEntries(r *http.Request, v *Services, do write) (int, any, error) {
	var req map[string]json.RawMessage
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	session, err := v.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	var done []entries.Result
	defer func() { s.settle(r.Context(), v, done) }()
	if _, many := req["items"]; !many {
		res, err := writeEntry(r.Context(), session, do, req)
		done = append(done, res)
		return http.StatusOK, resultRow(res), err
	}
	items, goOn, err := batchOf(req)
	if err != nil {
		return 0, nil, err
	}
	rows := make([]entryRow, len(items))
	for i, item := range items {
		res, err := writeEntry(r.Context(), session, do, item)
		done = append(done, res)
		row := resultRow(res)
		if err != nil && !goOn {
			return 0, nil, inBatch(i, err)
		}
		if err != nil {
			if fault.Is(err, fault.Internal) {
				s.Log.Error("entry of a batch failed", "index", i, "err", err)
			}
			row = entryRow{"error": publicText(err)}
		}
		row["_batch_ok"], row["_batch_index"] = err == nil, i
		rows[i] = row
	}
	return http.StatusOK, map[string]any{"results": rows}, nil
}

// batchOf reads the items of a batch.
func batchOf(req map[string]json.RawMessage) (items []map[string]json.RawMessage, goOn bool, err error) {
	for name, value := range req {
		switch name {
		case "items":
			if json.Unmarshal(value, &items) != nil {
				return nil, false, fault.Field("items", "items must be a list of JSON objects")
			}
		case "continue_on_error":
			if json.Unmarshal(value, &goOn) != nil {
				return nil, false, fault.Field("continue_on_error", "continue_on_error must be true or false")
			}
		default:
			return nil, false, fault.Field(name, "%.100s has no place beside items; continue_on_error has", name)
		}
	}
	if len(items) == 0 || len(items) > api.MaxBatch {
		return nil, false, fault.Field("items", "%d items: a batch has 1 to %d", len(items), api.MaxBatch)
	}
	return items, goOn, nil
}

// inBatch says which item ended a batch.
func inBatch(i int, err error) error {
	return fmt.Errorf("items[%d], after %d that are done: %w", i, i, err)
}

func writeEntry(ctx context.Context, session *entries.Session, do write, raw map[string]json.RawMessage) (entries.Result, error) {
	f, err := entries.Decode(raw)
	if err != nil {
		return entries.Result{}, err
	}
	return do(session, ctx, f)
}

func resultRow(res entries.Result) entryRow {
	row := rowOf(res.Entry)
	row["action"] = res.Action
	if c := res.Conflict; c != nil {
		row["idempotency_conflict"] = api.EntryConflict{PrimaryEntryID: c.PrimaryID, SecondaryEntryID: c.SecondaryID}
	}
	return row
}

// settleTime is how long an answer waits for the index to take what the request wrote.
const settleTime = 20 * time.Second

// settle has the index hold what a request wrote, so that it is found at once. What it does not take now it
// gets from the timer, and the request succeeds.
func (s *server) settle(ctx context.Context, v *Services, done []entries.Result) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if err := v.Entries.Settle(ctx, done...); err != nil {
		s.Log.Warn("entries are searched later", "entries", len(done), "kind", fault.KindOf(err), "err", err)
	}
}

// rowOf is an entry as JSON. Keywords, which are kept as text, are a list there.
func rowOf(f entries.Fields) entryRow {
	row := entryRow{}
	for name, value := range f {
		row[name] = value
	}
	if list := f.Text("keywords"); json.Valid([]byte(list)) {
		row["keywords"] = json.RawMessage(list)
	}
	return row
}

// testMode tells which schema entries go to.
func (s *server) testMode(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	on, err := v.Entries.TestMode(r.Context())
	return http.StatusOK, api.TestMode{IsTestMode: on}, err
}

// setTestMode decides it.
func (s *server) setTestMode(r *http.Request, v *Services) (int, any, error) {
	var req struct {
		IsTestMode *bool `json:"is_test_mode"`
	}
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.IsTestMode == nil {
		return 0, nil, fault.Field("is_test_mode", "is_test_mode is missing: true or false")
	}
	return http.StatusOK, api.TestMode{IsTestMode: *req.IsTestMode}, v.Entries.SetTestMode(r.Context(), *req.IsTestMode)
}

// toggleTestMode turns it over.
func (s *server) toggleTestMode(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	on, err := v.Entries.ToggleTestMode(r.Context())
	return http.StatusOK, api.TestMode{IsTestMode: on}, err
}

// config tells how the app was set; nothing of what changes while it runs (seed 001).
func (s *server) config(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	return http.StatusOK, api.Config{Settings: v.Config}, nil
}
