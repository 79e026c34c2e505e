package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/local/azurite"
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

func (b *bench) bareRates() (w workRates, err error) {
	az, err := azurite.Start(b.ctx, azurite.Options{ToolDir: b.tools})
	if err != nil {
		return w, err
	}
	defer az.Stop()
	x, err := newBare(b.ctx, az.ConnectionString())
	if err != nil {
		return w, err
	}
	batches := b.hosts * b.pages / bareBatch
	for i, work := range []func(batch int) error{x.register, x.check} {
		s, err := measure(nil, func() error { return parallel(12, batches, work) }) // as many at once as the host does jobs
		if err != nil {
			return w, err
		}
		w[i] = s.rate(batches * bareBatch)
	}
	return w, nil
}

func newBare(ctx context.Context, conn string) (*bare, error) {
	transport := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: bareConnections}}
	options := azcore.ClientOptions{Transport: transport}
	service, err := aztables.NewServiceClientFromConnectionString(conn, &aztables.ClientOptions{ClientOptions: options})
	if err != nil {
		return nil, err
	}
	queue, err := azqueue.NewQueueClientFromConnectionString(conn, "jobs", &azqueue.ClientOptions{ClientOptions: options})
	if err != nil {
		return nil, err
	}
	x := &bare{
		ctx: ctx, items: service.NewClient("items"), index: service.NewClient("index1"), hints: service.NewClient("hints"),
		queue: queue, item: map[string]any{},
	}
	for i := range 40 { // as many columns as an item has, of about its size
		x.item[fmt.Sprintf("column%d", i)] = strings.Repeat("x", 24)
	}
	for _, t := range []*aztables.Client{x.items, x.index, x.hints} {
		if _, err := t.CreateTable(ctx, nil); err != nil {
			return nil, err
		}
	}
	_, err = queue.Create(ctx, nil)
	return x, err
}

// parallel calls fn with the numbers below n, so many at once.
func parallel(atOnce, n int, fn func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return fn(i) })
	}
	return g.Wait()
}

// each calls fn with the keys of the items of a batch, as many at once as the registry does.
func (x *bare) each(fn func(key string) error) error {
	return parallel(16, bareBatch, func(i int) error { return fn(fmt.Sprintf("%026d", i)) })
}

func bareRow(partition, key string, props map[string]any) []byte {
	m := maps.Clone(props)
	if m == nil {
		m = map[string]any{}
	}
	m["PartitionKey"], m["RowKey"] = partition, key
	b, _ := json.Marshal(m) // strings always encode
	return b
}

func (x *bare) register(batch int) error {
	host := fmt.Sprintf("host%d", batch)
	err := x.each(func(key string) error {
		_, _ = x.items.GetEntity(x.ctx, host, key, nil) // is not there, as for a new source
		_, err := x.index.AddEntity(x.ctx, bareRow(host, key, map[string]any{"partition": host}), nil)
		return err
	})
	if err == nil {
		_, err = x.hints.UpsertEntity(x.ctx, bareRow("0|minute", host, nil), nil)
	}
	if err == nil {
		err = x.transact(host, bareOp{aztables.TransactionTypeAdd, "", x.item}, bareOp{replaceRow, "due|0|", bareDue})
	}
	if err != nil {
		return err
	}
	return x.send()
}

var bareDue = map[string]any{"host": "host", "id": "id", "enqueuedUntil": "2026-01-01T00:00:00.000Z"}

func (x *bare) send() error {
	body := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("j", 2500)))
	ttl := int32(-1)
	_, err := x.queue.EnqueueMessage(x.ctx, body, &azqueue.EnqueueMessageOptions{TimeToLive: &ttl})
	return err
}

// check reads and locks a batch, commits it, claims the next and sends its job.
func (x *bare) check(batch int) error {
	host, one := fmt.Sprintf("host%d", batch), int32(1)
	got, err := x.queue.DequeueMessages(x.ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: &one})
	if err != nil {
		return err
	}
	err = x.each(func(key string) error {
		_, err := x.items.GetEntity(x.ctx, host, key, nil)
		return err
	})
	for _, ops := range [][]bareOp{
		{{mergeRow, "", map[string]any{"lockedUntil": "x", "lockOwner": "y"}}},
		{{aztables.TransactionTypeUpdateReplace, "", x.item}, {aztables.TransactionTypeDelete, "due|0|", nil},
			{replaceRow, "due|1|", bareDue}},
		{{mergeRow, "due|1|", map[string]any{"enqueuedUntil": "z"}}},
	} {
		if err == nil {
			err = x.transact(host, ops...)
		}
	}
	if err == nil {
		err = x.send()
	}
	for _, m := range got.Messages {
		if err == nil {
			_, err = x.queue.DeleteMessage(x.ctx, *m.MessageID, *m.PopReceipt, nil)
		}
	}
	return err
}

const (
	replaceRow = aztables.TransactionTypeInsertReplace
	mergeRow   = aztables.TransactionTypeUpdateMerge
)

// bareOp is what is done with a row of each item of a batch.
type bareOp struct {
	kind   aztables.TransactionType
	prefix string // of the row's key
	props  map[string]any
}

// transact reads the host's row and writes it with the operations of every item.
func (x *bare) transact(host string, ops ...bareOp) error {
	_, _ = x.items.GetEntity(x.ctx, host, "host", nil) // is not there at first
	all := []aztables.TransactionAction{{ActionType: replaceRow, Entity: bareRow(host, "host", x.item)}}
	for i := range bareBatch {
		for _, o := range ops {
			entity := bareRow(host, fmt.Sprintf("%s%026d", o.prefix, i), o.props)
			all = append(all, aztables.TransactionAction{ActionType: o.kind, Entity: entity})
		}
	}
	_, err := x.items.SubmitTransaction(x.ctx, all, nil)
	return err
}
