package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"
	"golang.org/x/sync/errgroup"
)

// bare does with the SDK alone the storage operations of a registration and of an unchanged
// check, in the same batches and as many at once.
type bare struct {
	ctx                 context.Context
	items, index, hints *aztables.Client
	queue               *azqueue.QueueClient
	item                map[string]any
}

const bareBatch = 32

// bareConnections are kept open, as many as are used at once: with the 10 of the SDK's own client
// the baseline spends its time on connecting, and is beaten.
const bareConnections = 12 * 16

func (b *bench) bareRates() (register, check float64, err error) {
	az, err := b.azurite()
	if err != nil {
		return 0, 0, err
	}
	defer az.Stop()
	x, err := newBare(b.ctx, az.ConnectionString())
	if err != nil {
		return 0, 0, err
	}
	batches := b.hosts * b.pages / bareBatch
	began := time.Now()
	if err := x.each(batches, x.register); err != nil {
		return 0, 0, err
	}
	register = perSecond(batches*bareBatch, began)
	began = time.Now()
	if err := x.each(batches, x.check); err != nil {
		return 0, 0, err
	}
	return register, perSecond(batches*bareBatch, began), nil
}

func newBare(ctx context.Context, conn string) (*bare, error) {
	options := azcore.ClientOptions{Transport: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bareConnections}}}
	service, err := aztables.NewServiceClientFromConnectionString(conn, &aztables.ClientOptions{ClientOptions: options})
	if err != nil {
		return nil, err
	}
	x := &bare{ctx: ctx, items: service.NewClient("items"), index: service.NewClient("index1"), hints: service.NewClient("hints")}
	for _, t := range []*aztables.Client{x.items, x.index, x.hints} {
		if _, err := t.CreateTable(ctx, nil); err != nil {
			return nil, err
		}
	}
	if x.queue, err = azqueue.NewQueueClientFromConnectionString(conn, "jobs", &azqueue.ClientOptions{ClientOptions: options}); err != nil {
		return nil, err
	}
	if _, err := x.queue.Create(ctx, nil); err != nil {
		return nil, err
	}
	x.item = map[string]any{}
	for i := range 40 { // as many columns as an item has, of about its size
		x.item[fmt.Sprintf("column%d", i)] = strings.Repeat("x", 24)
	}
	return x, nil
}

// each runs fn for every batch, as many at once as the host does jobs.
func (x *bare) each(n int, fn func(batch int) error) error {
	var g errgroup.Group
	g.SetLimit(12)
	for i := range n {
		g.Go(func() error { return fn(i) })
	}
	return g.Wait()
}

func (x *bare) row(partition, key string, props map[string]any) []byte {
	m := map[string]any{"PartitionKey": partition, "RowKey": key}
	for k, v := range props {
		m[k] = v
	}
	b, _ := json.Marshal(m) // strings always encode
	return b
}

// parallel runs fn for the items of a batch, as many at once as the registry does.
func parallel(fn func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(16)
	for i := range bareBatch {
		g.Go(func() error { return fn(i) })
	}
	return g.Wait()
}

func (x *bare) register(batch int) error {
	host := fmt.Sprintf("host%d", batch)
	err := parallel(func(i int) error {
		key := fmt.Sprintf("%026d", i)
		_, _ = x.items.GetEntity(x.ctx, host, key, nil) // is not there, as for a new source
		_, err := x.index.AddEntity(x.ctx, x.row(host, key, map[string]any{"partition": host}), nil)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := x.hints.UpsertEntity(x.ctx, x.row("0|minute", host, nil), nil); err != nil {
		return err
	}
	_, _ = x.items.GetEntity(x.ctx, host, "host", nil)
	ops := []aztables.TransactionAction{{ActionType: aztables.TransactionTypeInsertReplace, Entity: x.row(host, "host", x.item)}}
	for i := range bareBatch {
		key := fmt.Sprintf("%026d", i)
		ops = append(ops, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: x.row(host, key, x.item)},
			aztables.TransactionAction{ActionType: aztables.TransactionTypeInsertReplace, Entity: x.row(host, "due|0|"+key, due)})
	}
	if _, err := x.items.SubmitTransaction(x.ctx, ops, nil); err != nil {
		return err
	}
	return x.send()
}

var due = map[string]any{"host": "host", "id": "id", "enqueuedUntil": "2026-01-01T00:00:00.000Z"}

func (x *bare) send() error {
	body := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("j", 2500)))
	ttl := int32(-1)
	_, err := x.queue.EnqueueMessage(x.ctx, body, &azqueue.EnqueueMessageOptions{TimeToLive: &ttl})
	return err
}

// check reads and locks a batch, commits it, claims the next and sends its job.
func (x *bare) check(batch int) error {
	host := fmt.Sprintf("host%d", batch)
	one := int32(1)
	got, err := x.queue.DequeueMessages(x.ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: &one})
	if err != nil {
		return err
	}
	err = parallel(func(i int) error {
		_, err := x.items.GetEntity(x.ctx, host, fmt.Sprintf("%026d", i), nil)
		return err
	})
	if err != nil {
		return err
	}
	for _, round := range []func(i int) []aztables.TransactionAction{x.lockOps(host), x.commitOps(host), x.claimOps(host)} {
		if err := x.transact(host, round); err != nil {
			return err
		}
	}
	if err := x.send(); err != nil {
		return err
	}
	for _, m := range got.Messages {
		if _, err := x.queue.DeleteMessage(x.ctx, *m.MessageID, *m.PopReceipt, nil); err != nil {
			return err
		}
	}
	return nil
}

// transact reads the host's row and writes it with the operations of every item.
func (x *bare) transact(host string, of func(i int) []aztables.TransactionAction) error {
	if _, err := x.items.GetEntity(x.ctx, host, "host", nil); err != nil {
		return err
	}
	ops := []aztables.TransactionAction{{ActionType: aztables.TransactionTypeUpdateReplace, Entity: x.row(host, "host", x.item)}}
	for i := range bareBatch {
		ops = append(ops, of(i)...)
	}
	_, err := x.items.SubmitTransaction(x.ctx, ops, nil)
	return err
}

func (x *bare) lockOps(host string) func(i int) []aztables.TransactionAction {
	return func(i int) []aztables.TransactionAction {
		return []aztables.TransactionAction{{ActionType: aztables.TransactionTypeUpdateMerge,
			Entity: x.row(host, fmt.Sprintf("%026d", i), map[string]any{"lockedUntil": "x", "lockOwner": "y"})}}
	}
}

func (x *bare) commitOps(host string) func(i int) []aztables.TransactionAction {
	return func(i int) []aztables.TransactionAction {
		key := fmt.Sprintf("%026d", i)
		return []aztables.TransactionAction{
			{ActionType: aztables.TransactionTypeUpdateReplace, Entity: x.row(host, key, x.item)},
			{ActionType: aztables.TransactionTypeDelete, Entity: x.row(host, "due|0|"+key, nil)},
			{ActionType: aztables.TransactionTypeInsertReplace, Entity: x.row(host, "due|1|"+key, due)},
		}
	}
}

func (x *bare) claimOps(host string) func(i int) []aztables.TransactionAction {
	return func(i int) []aztables.TransactionAction {
		return []aztables.TransactionAction{{ActionType: aztables.TransactionTypeUpdateMerge,
			Entity: x.row(host, "due|1|"+fmt.Sprintf("%026d", i), map[string]any{"enqueuedUntil": "z"})}}
	}
}
