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
	"runtime"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/entries"
)

const (
	entryInserts = 300 // of a round
	entryBatch   = 100 // items of a request that has several
	entryText    = 2 << 10
)

// entryCost is what inserts took.
type entryCost struct {
	rate              float64 // per second
	objects           float64 // allocated for each, as the next
	requests, written float64
}

// entryBench inserts entries in two ways.
type entryBench struct {
	*counted
	handler http.Handler
	table   *aztables.Client // the same rows, by the SDK alone
	like    map[string]any   // a row of ours
}

// entries measures inserts of newsletters through the route, in this process, beside the SDK alone
// writing the same rows in the same transactions, one after the other as a request does.
func (b *bench) entries() error {
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	e, err := b.newEntryBench(az.ConnectionString())
	if err != nil {
		return err
	}
	works := []struct {
		name, of string // whose keys they are
		batch    int    // in a request; 0 for none
		goOn     bool   // after errors, so several at once
	}{
		{"bare SDK, the same rows", "", 0, false},
		{"new, one in a request", "one", 1, false},
		{fmt.Sprintf("new, %d in a request", entryBatch), "many", entryBatch, false},
		{fmt.Sprintf("new, %d in a request, several at once", entryBatch), "together", entryBatch, true},
		{"known, so skipped, one in a request", "one", 1, false},
	}
	best := make([]entryCost, len(works))
	const rounds = 3
	for round := range rounds {
		for i, w := range works {
			run := func() error { return e.alone(round*entryInserts, entryInserts) }
			if w.batch > 0 {
				bodies, err := requests(w.of, round*entryInserts, entryInserts, w.batch, w.goOn)
				if err != nil {
					return err
				}
				run = func() error { return e.post(bodies) }
			}
			cost, err := e.measure(run)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if cost.rate > best[i].rate {
				best[i] = cost
			}
		}
	}
	section(fmt.Sprintf("Inserts of entries on Azurite (newsletters of %d KiB, one request after the other; best of %d alternating rounds of %d)", entryText>>10, rounds, entryInserts),
		"work", "per second", "to the bare SDK", "table requests for each", "rows written for each", "allocations for each")
	best[0].requests, best[0].written = 1, 3 // by itself, uncounted
	for i, w := range works {
		row(w.name, perSecondText(best[i].rate), best[i].rate/best[0].rate, best[i].requests, best[i].written, fmt.Sprintf("%.0f", best[i].objects))
	}
	return nil
}

// newEntryBench inserts one entry, and has the SDK write rows like those of it.
func (b *bench) newEntryBench(conn string) (*entryBench, error) {
	c, err := b.open(conn, "entries")
	if err != nil {
		return nil, err
	}
	service, err := aztables.NewServiceClientFromConnectionString(conn, nil)
	if err != nil {
		return nil, err
	}
	e := &entryBench{counted: c, table: service.NewClient("bare")}
	e.handler = handlers.New(handlers.Options{Open: func(context.Context) (*handlers.Services, error) { return c.Services, nil }})
	if _, err := e.table.CreateTable(b.ctx, nil); err != nil {
		return nil, err
	}
	first, err := requests("first", 0, 1, 1, false)
	if err == nil {
		err = e.post(first)
	}
	if err != nil {
		return nil, err
	}
	filter := "PartitionKey eq '" + entries.EmailNewsletter + "' and RowKey ge 'e|' and RowKey lt 'e}'"
	page, err := service.NewClient("Entries").NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}).NextPage(b.ctx)
	if err != nil || len(page.Entities) != 1 {
		return nil, fmt.Errorf("%d entries where one was inserted: %w", len(page.Entities), err)
	}
	if err := json.Unmarshal(page.Entities[0], &e.like); err != nil {
		return nil, err
	}
	maps.DeleteFunc(e.like, func(name string, _ any) bool {
		return strings.HasPrefix(name, "odata.") || strings.HasPrefix(name, "Timestamp")
	})
	return e, nil
}

// measure tells what a round of inserts takes.
func (e *entryBench) measure(run func() error) (entryCost, error) {
	var before, after runtime.MemStats
	counts := e.counter.Snapshot()
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := run()
	rate := perSecond(entryInserts, began)
	runtime.ReadMemStats(&after)
	used := e.counter.Snapshot().Sub(counts)
	return entryCost{
		rate, float64(after.Mallocs-before.Mallocs) / entryInserts, float64(used.Table) / entryInserts, float64(used.RowsWritten) / entryInserts,
	}, err
}

// requests are those that insert n entries, numbered from one on, so many in each. They are normalized
// here: that is a request of its own, and reads no storage.
func requests(name string, from, n, batch int, goOn bool) (bodies [][]byte, err error) {
	for at := from; at < from+n; at += batch {
		var items []entries.Fields
		for i := range batch {
			f, err := entries.NormalizeEmail(entries.Email{
				RawText: strings.Repeat("The tide tables of the port. ", entryText/29), ContentType: "newsletter", From: "port@port.example",
				Subject: fmt.Sprintf("%s %d", name, at+i), MessageID: fmt.Sprintf("%s-%d@port.example", name, at+i), Date: "2026-03-01",
			})
			if err != nil {
				return nil, err
			}
			items = append(items, f)
		}
		var body any = items[0]
		if batch > 1 {
			body = map[string]any{"items": items, "continue_on_error": goOn}
		}
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, text)
	}
	return bodies, nil
}

// post sends requests one after the other.
func (e *entryBench) post(bodies [][]byte) error {
	for _, body := range bodies {
		w := httptest.NewRecorder()
		e.handler.ServeHTTP(w, httptest.NewRequestWithContext(e.ctx, http.MethodPost, "/api/db/insert", bytes.NewReader(body)))
		if w.Code != http.StatusOK {
			return errors.New(w.Body.String())
		}
	}
	return nil
}

// alone has the SDK write n entries with their two keys, numbered from one on.
func (e *entryBench) alone(from, n int) error {
	for i := range n {
		name := fmt.Sprintf("%062d", from+i)
		key := map[string]any{"PartitionKey": e.like["PartitionKey"], "entry_id": e.like["entry_id"], "key": e.like["idempotency_key_secondary"]}
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
