package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

const (
	entryInserts = 300 // number of entries in a round
	EntryBatch   = 100 // number of items in a batch request
	entryText    = 2 << 10
)

// An entryBench inserts entries through the product and through the SDK.
type entryBench struct {
	*counted
	handler http.Handler
	table   *aztables.Client // for the same rows, written by the SDK alone
	like    map[string]any   // a row that the benchmark copies
}

// entries measures inserts of newsletters through the route, in this process. The baseline is the SDK alone, which
// writes the same rows in the same transactions, one transaction after another, as a request does.
func (b *bench) entries() error {
	c, err := b.onAzurite("entries")
	if err != nil {
		return err
	}
	defer c.stop()
	e, err := c.newEntryBench()
	if err != nil {
		return err
	}
	kinds := []struct {
		name, of string // of is the prefix of the entries' keys
		batch    int    // number of entries in a request; 0 for single inserts
		goOn     bool   // continue after errors, which allows concurrent inserts
	}{
		{"bare SDK, the same rows", "", 0, false},
		{"new, one in a request", "one", 1, false},
		{fmt.Sprintf("new, %d in a request", EntryBatch), "many", EntryBatch, false},
		{fmt.Sprintf("new, %d in a request, several at once", EntryBatch), "together", EntryBatch, true},
		{"known, so skipped, one in a request", "one", 1, false},
	}
	const rounds, n = 3, entryInserts
	works := make([]func() error, len(kinds))
	for i, k := range kinds {
		from := -n // number of the first entry of the round
		works[i] = func() error {
			from += n
			if k.batch == 0 {
				return e.alone(from, n)
			}
			return e.insert(k.of, from, n, k.batch, k.goOn)
		}
	}
	best, err := bestOf(rounds, c.counter, works...)
	if err != nil {
		return err
	}
	section(fmt.Sprintf("Inserts of entries on Azurite (newsletters of %d KiB, one request after the other; "+
		"best of %d alternating rounds of %d)", entryText>>10, rounds, n),
		"work", "per second", "to the bare SDK", "table requests for each", "rows written for each", "allocations for each")
	best[0].Table, best[0].RowsWritten = n, 3*n // these counts are known, not measured
	for i, k := range kinds {
		s := best[i]
		row(k.name, perSecondText(s.rate(n)), s.rate(n)/best[0].rate(n), per(s.Table, n), per(s.RowsWritten, n),
			fmt.Sprintf("%.0f", per(s.objects, n)))
	}
	return nil
}

// newEntryBench inserts one entry, whose rows the SDK then imitates.
func (c *counted) newEntryBench() (*entryBench, error) {
	service, err := aztables.NewServiceClientFromConnectionString(c.conn, nil)
	if err != nil {
		return nil, err
	}
	open := func(context.Context) (*handlers.Services, error) { return c.Services, nil }
	e := &entryBench{counted: c, table: service.NewClient("bare"), handler: handlers.New(handlers.Options{Open: open})}
	if _, err := e.table.CreateTable(c.ctx, nil); err != nil {
		return nil, err
	}
	if err := e.insert("first", 0, 1, 1, false); err != nil {
		return nil, err
	}
	filter := "PartitionKey eq '" + entry.EmailNewsletter + "' and RowKey ge 'e|' and RowKey lt 'e}'"
	pages := service.NewClient("Entries").NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter})
	page, err := pages.NextPage(c.ctx)
	if err != nil || len(page.Entities) != 1 {
		return nil, fmt.Errorf("%d entries where one was inserted: %w", len(page.Entities), err)
	}
	err = json.Unmarshal(page.Entities[0], &e.like)
	maps.DeleteFunc(e.like, func(name string, _ any) bool {
		return strings.HasPrefix(name, "odata.") || strings.HasPrefix(name, "Timestamp")
	})
	return e, err
}

// insert sends the requests that insert n entries. The entries are numbered, beginning with the from argument, and
// batch is the number of entries in each request. Normalization is a separate request that reads no storage.
func (e *entryBench) insert(name string, from, n, batch int, goOn bool) error {
	for at := from; at < from+n; at += batch {
		var items []entry.Fields
		for i := range batch {
			f, err := entry.NormalizeEmail(entry.Email{
				RawText:     strings.Repeat("The tide tables of the port. ", entryText/29),
				ContentType: "newsletter", From: "port@port.example", Date: "2026-03-01",
				Subject: fmt.Sprintf("%s %d", name, at+i), MessageID: fmt.Sprintf("%s-%d@port.example", name, at+i),
			})
			if err != nil {
				return err
			}
			items = append(items, f)
		}
		var body any = items[0]
		if batch > 1 {
			body = map[string]any{"items": items, "continue_on_error": goOn}
		}
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(e.ctx, http.MethodPost, "/api/db/insert", bytes.NewReader(text))
		if e.handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			return errors.New(w.Body.String())
		}
	}
	return nil
}

// alone uses the SDK to write n numbered entries and the two keys of each.
func (e *entryBench) alone(from, n int) error {
	for i := range n {
		name := fmt.Sprintf("%062d", from+i)
		key := map[string]any{"PartitionKey": e.like["PartitionKey"], "entry_id": e.like["entry_id"],
			"key": e.like["idempotency_key_secondary"]}
		var ops []aztables.TransactionAction
		for prefix, like := range map[string]map[string]any{"e|": e.like, "p|": key, "s|": key} {
			like["RowKey"] = prefix + name
			text, err := json.Marshal(like)
			if err != nil {
				return err
			}
			ops = append(ops, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: text})
		}
		if _, err := e.table.SubmitTransaction(e.ctx, ops, nil); err != nil {
			return err
		}
	}
	return nil
}
