package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// bare is a baseline that uses only the SDK. It does the storage operations of a registration, of an unchanged check
// and of a changed page, in the same batches and with the same concurrency as Tidemark.
type bare struct {
	ctx                 context.Context
	items, index, hints *aztables.Client
	captures, manifests *aztables.Client
	queue               *azqueue.QueueClient
	snapshots           *container.Client
	item                map[string]any
	round               int // number of the round of checks; each round writes new due rows and captures
}

const bareBatch = 32

// bareConnections is the number of connections that are kept open: as many as are used at once. With only the 10
// connections of the SDK's own client, the baseline would spend its time on connecting.
const bareConnections = 12 * 16

func (b *bench) bareRates() (w workRates, err error) {
	// Azurite stores its data on disk, as it does for the product.
	az, err := azurite.Start(b.ctx, azurite.Options{ToolDir: b.tools, DataDir: b.temp(rand.Text())})
	if err != nil {
		return w, err
	}
	defer az.Stop()
	x, err := newBare(b.ctx, az.ConnectionString())
	if err != nil {
		return w, err
	}
	batches := b.hosts * b.pages / bareBatch
	all := func(work func(batch int) error) (workRate, error) {
		// The host runs 12 jobs at once, too.
		return rateOf(batches*bareBatch, func() error { return parallel(12, batches, work) })
	}
	// The last operation is measured twice: its first run stores everything for the first time, which is not a change
	// yet.
	for i, work := range []func(batch int) error{x.register, x.check, x.change, x.change} {
		if w[min(i, len(w)-1)], err = all(work); err != nil {
			return w, err
		}
		if i > 0 {
			x.round++
		}
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
		captures: service.NewClient("captures"), manifests: service.NewClient("manifests"),
		queue: queue, item: map[string]any{},
	}
	x.snapshots, err = container.NewClientFromConnectionString(conn, "snapshots",
		&container.ClientOptions{ClientOptions: options})
	if err == nil {
		_, err = x.snapshots.Create(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	for i := range 40 { // a real item has about as many columns, of similar size
		x.item[fmt.Sprintf("column%d", i)] = strings.Repeat("x", 24)
	}
	for _, t := range []*aztables.Client{x.items, x.index, x.hints, x.captures, x.manifests} {
		if _, err := t.CreateTable(ctx, nil); err != nil {
			return nil, err
		}
	}
	_, err = queue.Create(ctx, nil)
	return x, err
}

// parallel calls fn with each number below n. At most atOnce calls run at the same time.
func parallel(atOnce, n int, fn func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return fn(i) })
	}
	return g.Wait()
}

// each(fn) calls fn with the keys of the items of a batch, with the concurrency of the registry.
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
		_, _ = x.items.GetEntity(x.ctx, host, key, nil) // the row does not exist, as for a new source
		_, err := x.index.AddEntity(x.ctx, bareRow(host, key, map[string]any{"partition": host}), nil)
		return err
	})
	if err == nil {
		_, err = x.hints.UpsertEntity(x.ctx, bareRow("0|minute", host, nil), nil)
	}
	if err == nil {
		err = x.transact(host, bareOp{aztables.TransactionTypeAdd, "", x.item}, bareOp{replaceRow, x.due(0), bareDue})
	}
	if err != nil {
		return err
	}
	return x.send()
}

// due returns the beginning of the key of an item's due row, for an item that is due the given number of rounds from
// now.
func (x *bare) due(later int) string { return fmt.Sprintf("due|%d|", x.round+later) }

var bareDue = map[string]any{"host": "host", "id": "id", "enqueuedUntil": "2026-01-01T00:00:00.000Z"}

func (x *bare) send() error {
	body := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("j", 2500)))
	ttl := int32(-1)
	_, err := x.queue.EnqueueMessage(x.ctx, body, &azqueue.EnqueueMessageOptions{TimeToLive: &ttl})
	return err
}

// change does the operations of a check that finds different content. In addition to those of check, it stores the
// content, its lineage and the manifest of its chunks.
func (x *bare) change(batch int) error {
	return x.checkWith(batch, func(key string) error { return x.keep(fmt.Sprintf("%d-%s", batch, key)) })
}

// keep stores the capture of one page.
func (x *bare) keep(page string) error {
	content := fmt.Sprintf("%064d-%s", x.round, page)
	for _, row := range []string{"tip", "uri"} {
		_, _ = x.captures.GetEntity(x.ctx, page, row, nil) // the row does not exist in the first round
	}
	own := func(t *aztables.Client, partition string, size int, rows ...string) error {
		var ops []aztables.TransactionAction
		for _, row := range rows {
			entity := bareRow(partition, row, map[string]any{"column": strings.Repeat("x", size)})
			ops = append(ops, aztables.TransactionAction{ActionType: replaceRow, Entity: entity})
		}
		if len(rows) == 1 {
			_, err := t.UpsertEntity(x.ctx, ops[0].Entity, nil)
			return err
		}
		_, err := t.SubmitTransaction(x.ctx, ops, nil)
		return err
	}
	err := own(x.captures, content, 40, "blob", "ref|"+page)
	if err == nil {
		_, err = x.snapshots.NewBlockBlobClient(content).Upload(x.ctx, streaming.NopCloser(strings.NewReader(bareBody)), nil)
	}
	if err == nil {
		err = own(x.captures, content, 300, "version")
	}
	if err == nil {
		err = own(x.captures, page, 600, content, "edge", "kind", "tip", "uri", "verified")
	}
	_, _ = x.manifests.GetEntity(x.ctx, page, fmt.Sprint(x.round-1), nil) // the row does not exist in the first round
	if err == nil {
		err = own(x.manifests, page, 4000, fmt.Sprint(x.round))
	}
	if err == nil && x.round > 1 {
		_, err = x.manifests.DeleteEntity(x.ctx, page, fmt.Sprint(x.round-1), nil)
	}
	return err
}

// bareBody has the size of a compressed page of the site.
var bareBody = strings.Repeat("0123456789abcdef", 60)

// check reads, locks and commits a batch. Then it claims the next batch and sends the job for it.
func (x *bare) check(batch int) error {
	return x.checkWith(batch, func(string) error { return nil })
}

// checkWith does the same as check, and calls do for each item before the commit.
func (x *bare) checkWith(batch int, do func(key string) error) error {
	host, one := fmt.Sprintf("host%d", batch), int32(1)
	got, err := x.queue.DequeueMessages(x.ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: &one})
	if err != nil {
		return err
	}
	err = x.each(func(key string) error {
		_, err := x.items.GetEntity(x.ctx, host, key, nil)
		return err
	})
	if err == nil {
		err = x.each(do)
	}
	for _, ops := range [][]bareOp{
		{{mergeRow, "", map[string]any{"lockedUntil": "x", "lockOwner": "y"}}},
		{{aztables.TransactionTypeUpdateReplace, "", x.item}, {aztables.TransactionTypeDelete, x.due(0), nil},
			{replaceRow, x.due(1), bareDue}},
		{{mergeRow, x.due(1), map[string]any{"enqueuedUntil": "z"}}},
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

// bareOp is an operation on a row of each item of a batch.
type bareOp struct {
	kind   aztables.TransactionType
	prefix string // prefix of the row's key
	props  map[string]any
}

// transact reads the host's row, and writes it together with the operations of every item.
func (x *bare) transact(host string, ops ...bareOp) error {
	_, _ = x.items.GetEntity(x.ctx, host, "host", nil) // the row does not exist in the first round
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
