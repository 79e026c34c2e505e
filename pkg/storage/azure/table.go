package azure

import (
	"context"
	"crypto/rand"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Table = (*table)(nil)

type table struct {
	name   string
	bad    error // the error if the name is not allowed
	client *aztables.Client
}

// Create makes the table if it is missing.
func (t *table) Create(ctx context.Context) error {
	if t.bad != nil {
		return t.bad
	}
	err := send(ctx, Table, func(ctx context.Context) error {
		_, err := t.client.CreateTable(ctx, nil)
		return err
	})
	if codeOf(err) == string(aztables.TableAlreadyExists) {
		return nil
	}
	return t.failure(err)
}

// Get reads one row.
func (t *table) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	s, err := t.read(ctx, key)
	return s.Entity, err
}

func (t *table) read(ctx context.Context, key storage.Key) (stored, error) {
	if t.bad != nil {
		return stored{}, t.bad
	}
	if err := storage.CheckKey(key); err != nil {
		return stored{}, err
	}
	c := call{service: Table, keepAnswer: true}
	err := c.send(ctx, func(ctx context.Context) error {
		_, err := t.client.GetEntity(ctx, key.Partition, key.Row, nil)
		return err
	})
	if err != nil {
		return stored{}, t.failure(err)
	}
	body, err := c.payload()
	if err != nil {
		return stored{}, t.failure(err)
	}
	s, err := decodeOne(body)
	if err != nil {
		return stored{}, t.failure(err)
	}
	if tag := c.answer.Header.Get("ETag"); tag != "" {
		s.ETag = storage.ETag(tag)
	}
	c.rows(1, 0)
	return s, nil
}

func (t *table) failure(err error) error { return failure("table "+t.name, err) }

// Query yields a range of rows, page by page.
func (t *table) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		err := t.bad
		if err == nil {
			err = storage.CheckQuery(q)
		}
		if err != nil {
			yield(storage.Entity{}, err)
			return
		}
		for o := listOptions(q); o != nil; {
			var rows []stored
			if rows, o, err = t.page(ctx, o); err != nil {
				yield(storage.Entity{}, err)
				return
			}
			for _, s := range rows {
				if !yield(s.Entity, nil) {
					return
				}
			}
		}
	}
}

// page reads one page. It returns the options for the next page, or nil after the last page. A page may be empty
// without being the last: a query also stops at the ends of the service's internal partitions.
func (t *table) page(
	ctx context.Context, o *aztables.ListEntitiesOptions,
) ([]stored, *aztables.ListEntitiesOptions, error) {
	c := call{service: Table, keepAnswer: true}
	err := c.send(ctx, func(ctx context.Context) error {
		_, err := t.client.NewListEntitiesPager(o).NextPage(ctx)
		return err
	})
	if err != nil {
		return nil, nil, t.failure(err)
	}
	body, err := c.payload()
	if err != nil {
		return nil, nil, t.failure(err)
	}
	rows, err := decodePage(body)
	if err != nil {
		return nil, nil, t.failure(err)
	}
	c.rows(len(rows), 0)
	return rows, next(o, c.answer.Header), nil
}

func next(o *aztables.ListEntitiesOptions, h http.Header) *aztables.ListEntitiesOptions {
	partition, row := h.Get("x-ms-continuation-NextPartitionKey"), h.Get("x-ms-continuation-NextRowKey")
	if partition == "" && row == "" {
		return nil
	}
	more := *o
	more.NextPartitionKey, more.NextRowKey = nil, nil
	if partition != "" {
		more.NextPartitionKey = &partition
	}
	if row != "" {
		more.NextRowKey = &row
	}
	return &more
}

// listOptions returns the options of a query. It always sets a page size, because Azurite returns pages endlessly if
// the size is zero. It always selects the keys, and the time of the write, which replaces a missing revision.
func listOptions(q storage.Query) *aztables.ListEntitiesOptions {
	var o aztables.ListEntitiesOptions
	if f := filter(q); f != "" {
		o.Filter = &f
	}
	top := int32(storage.MaxPage)
	if q.PageSize > 0 {
		top = int32(q.PageSize)
	}
	o.Top = &top
	if len(q.Select) > 0 {
		columns := "PartitionKey,RowKey,Timestamp," + strings.Join(q.Select, ",")
		o.Select = &columns
	}
	return &o
}

// filter writes the bounds in OData. The constants are on the right, as Azurite requires.
func filter(q storage.Query) string {
	var terms []string
	add := func(column, operator, bound string) {
		if bound != "" {
			terms = append(terms, column+" "+operator+" '"+strings.ReplaceAll(bound, "'", "''")+"'")
		}
	}
	add("PartitionKey", "eq", q.Partition)
	add("PartitionKey", "ge", q.PartitionFrom)
	add("PartitionKey", "lt", q.PartitionTo)
	add("RowKey", "ge", q.RowFrom)
	add("RowKey", "lt", q.RowTo)
	for _, name := range slices.Sorted(maps.Keys(q.Where)) {
		add(name, "eq", q.Where[name])
	}
	return strings.Join(terms, " and ")
}

// Transact applies several ops in a batch, and a single op in a plain request, which is cheaper.
func (t *table) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	if t.bad != nil {
		return nil, t.bad
	}
	if err := storage.CheckTransaction(ops); err != nil {
		return nil, err
	}
	c := call{service: Table, keepAnswer: true}
	token := rand.Text()[:16]
	apply := t.many
	if len(ops) == 1 {
		apply = t.one
	}
	tags, err := apply(ctx, &c, ops, token)
	if err != nil && c.retried() {
		tags, err = t.resolve(ctx, ops, token, err)
	}
	if err == nil {
		c.rows(0, len(ops))
	}
	return tags, err
}

func (t *table) one(ctx context.Context, c *call, ops []storage.Op, token string) ([]storage.ETag, error) {
	op := ops[0]
	if op.Kind != storage.Delete {
		c.body = func(string) ([]byte, string) { return encode(op.Entity, token), "application/json" }
	}
	if op.Kind == storage.Insert {
		c.header = http.Header{"Prefer": {"return-no-content"}}
	}
	err := c.send(ctx, func(ctx context.Context) error { return t.plain(ctx, op) })
	if err != nil {
		return nil, atOp(0, t.failure(err))
	}
	if op.Kind == storage.Delete {
		return []storage.ETag{""}, nil
	}
	return revisions(storage.ETag(c.answer.Header.Get("ETag")))
}

// atOp adds the op's index to an error that concerns one op. An Unavailable error does not concern one op.
func atOp(index int, err error) error {
	switch fault.KindOf(err) {
	case fault.Conflict, fault.NotFound, fault.Invalid:
		return &storage.OpError{Index: index, Err: err}
	}
	return err
}

// revisions refuses an answer without revisions, because the caller needs them to write the rows again.
func revisions(tags ...storage.ETag) ([]storage.ETag, error) {
	if slices.Contains(tags, "") {
		return nil, fault.New(fault.Unavailable, "the write was answered without a revision")
	}
	return tags, nil
}

// plain sends one op in a plain request. The SDK gets a placeholder entity, which callPolicy replaces with the real
// entity.
func (t *table) plain(ctx context.Context, op storage.Op) error {
	match := azcore.ETag(op.Entity.ETag)
	keys := encode(storage.Entity{Key: op.Entity.Key}, "")
	var err error
	switch op.Kind {
	case storage.Insert:
		_, err = t.client.AddEntity(ctx, keys, nil)
	case storage.Replace:
		_, err = t.client.UpdateEntity(ctx, keys, &aztables.UpdateEntityOptions{IfMatch: &match,
			UpdateMode: aztables.UpdateModeReplace})
	case storage.Merge:
		_, err = t.client.UpdateEntity(ctx, keys, &aztables.UpdateEntityOptions{IfMatch: &match,
			UpdateMode: aztables.UpdateModeMerge})
	case storage.Upsert:
		_, err = t.client.UpsertEntity(ctx, keys, &aztables.UpsertEntityOptions{UpdateMode: aztables.UpdateModeReplace})
	case storage.Delete:
		_, err = t.client.DeleteEntity(ctx, op.Entity.Partition, op.Entity.Row,
			&aztables.DeleteEntityOptions{IfMatch: &match})
	}
	return err
}

// standIn is the placeholder for a batch that the SDK gets. callPolicy replaces it with the real batch.
var standIn = []aztables.TransactionAction{{
	ActionType: aztables.TransactionTypeDelete,
	Entity:     []byte(`{"PartitionKey":"p","RowKey":"r"}`),
}}

func (t *table) many(ctx context.Context, c *call, ops []storage.Op, token string) ([]storage.ETag, error) {
	c.batch = true
	c.body = func(endpoint string) ([]byte, string) { return batchBody(endpoint, t.name, ops, token) }
	err := c.send(ctx, func(ctx context.Context) error {
		_, err := t.client.SubmitTransaction(ctx, standIn, nil)
		return err
	})
	if err != nil {
		return nil, t.failure(err)
	}
	body, err := c.payload()
	if err != nil {
		return nil, t.failure(err)
	}
	parts, err := parseBatch(body)
	if err != nil {
		return nil, t.failure(err)
	}
	return t.answered(ops, parts)
}

// answered converts the responses of a batch to revisions, or to the error of the op that failed.
func (t *table) answered(ops []storage.Op, parts []part) ([]storage.ETag, error) {
	for _, p := range parts {
		if p.status >= 400 {
			err := refused("table "+t.name, p.status, p.code, pause)
			if p.index >= 0 && p.index < len(ops) {
				err = atOp(p.index, err)
			}
			return nil, err
		}
	}
	if len(parts) != len(ops) {
		return nil, fault.New(fault.Unavailable, "table %s: %d answers to %d operations", t.name, len(parts), len(ops))
	}
	tags := make([]storage.ETag, len(ops))
	for i, op := range ops {
		if op.Kind == storage.Delete {
			continue
		}
		one, err := revisions(parts[i].etag)
		if err != nil {
			return nil, err
		}
		tags[i] = one[0]
	}
	return tags, nil
}

// overwritten is a revision that no row has. If another client has overwritten a row since this call wrote it, the
// call returns overwritten as the revision of the row. The caller's next write of the row is then a Conflict, as it
// would be if the answer had not been lost.
const overwritten storage.ETag = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`

// resolve decides whether a refusal after a retry is real, because an earlier try may have been applied while its
// answer was lost. It reads the rows back. A transaction applies all its ops or none, so a single row with the call's
// token proves that the transaction was applied. If a transaction only deletes and all its rows are gone, it was
// applied, or the result is the same.
//
// If other clients have overwritten every row since, resolve does not recognize the write and returns the Conflict.
// The caller finds the new rows when it reads them again.
func (t *table) resolve(ctx context.Context, ops []storage.Op, token string, refusal error) ([]storage.ETag, error) {
	if !fault.Lost(refusal) {
		return nil, refusal
	}
	tags := make([]storage.ETag, len(ops))
	own, writes, left := false, 0, 0
	for i, op := range ops {
		s, err := t.read(ctx, op.Entity.Key)
		switch {
		case err != nil && !fault.Is(err, fault.NotFound):
			return nil, fault.New(fault.Unavailable, "reading back after a retry: %w", err)
		case op.Kind == storage.Delete:
			if err == nil {
				left++
			}
			continue
		case err == nil && s.token == token:
			own, tags[i] = true, s.ETag
		default:
			tags[i] = overwritten
		}
		writes++
	}
	if own || writes == 0 && left == 0 {
		return tags, nil
	}
	return nil, refusal
}
