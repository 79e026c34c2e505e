package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

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
	if _, many := req["items"]; !many {
		row, err := writeEntry(r.Context(), session, do, req)
		return http.StatusOK, row, err
	}
	items, goOn, err := batchOf(req)
	if err != nil {
		return 0, nil, err
	}
	rows := make([]entryRow, len(items))
	for i, item := range items {
		row, err := writeEntry(r.Context(), session, do, item)
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

func writeEntry(ctx context.Context, session *entries.Session, do write, raw map[string]json.RawMessage) (entryRow, error) {
	f, err := entries.Decode(raw)
	if err != nil {
		return nil, err
	}
	res, err := do(session, ctx, f)
	if err != nil {
		return nil, err
	}
	row := rowOf(res.Entry)
	row["action"] = res.Action
	if c := res.Conflict; c != nil {
		row["idempotency_conflict"] = api.EntryConflict{PrimaryEntryID: c.PrimaryID, SecondaryEntryID: c.SecondaryID}
	}
	return row, nil
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
