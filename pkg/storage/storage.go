// Package storage is the contract between Tidemark and the services that keep its state: tables with atomic partition
// transactions, queues with visibility, and blobs that are written once.
//
// The contract is what Azure Tables, Queues and Blobs promise and nothing more, so every adapter (Azure, memory,
// embedded) can fulfil it. [storagetest] is the contract in the form of tests; an adapter is correct when that suite
// passes. Every adapter refuses what Azure would refuse, with the checks of this package ([CheckTransaction],
// [CheckKey], …). Every adapter copies its arguments and its results, so neither the adapter nor its caller sees
// later changes that the other makes to a map or a slice.
//
// Errors have a kind of package fault: Invalid for what the port refuses, NotFound, Conflict, TooLarge, Throttled,
// and Unavailable. After Unavailable it is unknown whether the operation took effect. A table, queue or container
// that was never created is Unavailable, so that a missing table is never mistaken for a missing row. A call whose
// context has ended is Unavailable too, with the context's error in the chain.
//
// A Conflict always comes from the write of another client: when an adapter has retried a request after a lost
// answer, it reads the rows back before it reports a Conflict. Adapters retry transport errors themselves, so callers
// do not retry after Unavailable.
//
// [storagetest]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/storage/storagetest
package storage

import (
	"context"
	"iter"
	"time"
)

// Store opens the tables, queues and containers of one account. Opening a table, queue or container sends no request.
// The Create method of the table, queue or container creates it.
type Store interface {
	Table(name string) Table
	Queue(name string) Queue
	Container(name string) Container
	// Ping returns an error unless the store answers before ctx ends.
	Ping(ctx context.Context) error
	Close() error
}

// Key is the address of an entity. Both parts follow [CheckKey].
type Key struct{ Partition, Row string }

// ETag is an opaque revision of an entity. The empty ETag means "never read".
type ETag string

// AnyETag matches any revision. Only tests, and deletes of rows that no other process writes, should need it.
const AnyETag ETag = "*"

// Properties are the columns of an entity, of type string, bool, int32, int64, float64 or []byte. Packages that store
// times write them as fixed-width UTC text.
type Properties map[string]any

// Entity is a row as read: its key, its columns and its revision.
type Entity struct {
	Key
	ETag  ETag
	Props Properties
}

// OpKind says how an [Op] changes its row.
type OpKind int

const (
	// Insert creates a row. Errors: Conflict when it exists.
	Insert OpKind = iota
	// Replace rewrites the row with the given ETag. Columns that are not given are removed.
	Replace
	// Merge rewrites the given columns of the row with the given ETag. Other columns are kept.
	Merge
	// Upsert inserts or replaces a row without checking its revision. It is only for rows that merely point to
	// others.
	Upsert
	// Delete removes the row with the given ETag.
	Delete
)

// Op is one write. Replace, Merge and Delete need Entity.ETag, which may be [AnyETag]. Errors: NotFound when the row
// does not exist; Conflict when it has another revision.
type Op struct {
	Kind   OpKind
	Entity Entity
}

// Query selects a range of rows in key order, which is the order of code points (keys that mix characters above
// U+FFFF with some below may be ordered by UTF-16 units instead). If Partition is set, the query reads that
// partition. If it is empty, the query reads the partitions in [PartitionFrom, PartitionTo). In every partition it
// reads the rows in [RowFrom, RowTo). An empty bound is open.
//
// Where gives the values that text columns must have. Rows with other values, or without such a column, are not
// returned and do not count towards PageSize, though the store may have to read them.
type Query struct {
	Partition                  string
	PartitionFrom, PartitionTo string
	RowFrom, RowTo             string
	Where                      map[string]string
	Select                     []string // the columns to return; all columns when empty
	PageSize                   int      // a hint, 1 to 1000; 1000 when zero
}

// Table is a sorted set of entities.
type Table interface {
	// Create creates the table when it is missing.
	Create(ctx context.Context) error
	// Get reads one row. Errors: NotFound when it does not exist.
	Get(ctx context.Context, key Key) (Entity, error)
	// Query yields rows in (partition, row) order. It stops at the first error. It may or may not include a row that
	// is written while the query runs.
	Query(ctx context.Context, q Query) iter.Seq2[Entity, error]
	// Transact applies ops to one partition, all or none, in one round trip. It returns the new revision of each row
	// in the order of ops ("" for deletes). There may be at most 100 ops, one per row. When the error concerns one
	// op, it is an [*OpError].
	Transact(ctx context.Context, ops ...Op) ([]ETag, error)
}

// OpError is an error that concerns one operation of a transaction.
type OpError struct {
	Index int // index of the op in the transaction
	Err   error
}

func (e *OpError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which carries the kind.
func (e *OpError) Unwrap() error { return e.Err }

// Message is one delivery of a queue message. Receipt belongs to this delivery: Delete invalidates the receipt, and
// Extend replaces it.
type Message struct {
	ID          string
	Receipt     string
	Body        []byte
	Malformed   bool // Send did not write the stored text; Body is the stored text, unchanged
	Dequeued    int  // number of deliveries so far, including this one
	Inserted    time.Time
	Expires     time.Time
	NextVisible time.Time
}

// Queue delivers every message at least once, in no promised order. Messages never expire.
type Queue interface {
	// Create creates the queue when it is missing.
	Create(ctx context.Context) error
	// Send adds a message of at most [MaxMessageBytes] that becomes visible after the given delay (0 to 7 days). A
	// send that the adapter retried may arrive twice.
	Send(ctx context.Context, body []byte, delay time.Duration) error
	// Receive receives up to max (1 to 32) visible messages and hides them for the duration visibility (1 s to 7
	// days). It does not wait for messages. Times are rounded up to whole seconds.
	Receive(ctx context.Context, max int, visibility time.Duration) ([]Message, error)
	// Extend hides a received message for the duration visibility from now on (0 makes it visible at once) and
	// returns the message with its new receipt. Errors: NotFound when the message was delivered again since.
	Extend(ctx context.Context, m Message, visibility time.Duration) (Message, error)
	// Delete removes a received message. Errors: NotFound when the message was delivered again since, or is already
	// deleted.
	Delete(ctx context.Context, m Message) error
	// Length returns the approximate number of messages, including hidden ones.
	Length(ctx context.Context) (int, error)
}

// Blob is an immutable object. Metadata keys are lower-case ASCII letters, digits and underscores. Values are
// printable ASCII.
type Blob struct {
	Body        []byte
	ContentType string
	Metadata    map[string]string
}

// Container holds blobs that are written once.
type Container interface {
	// Create creates the container when it is missing.
	Create(ctx context.Context) error
	// Put writes a blob unless a blob with that name exists. The result created is false when one existed.
	Put(ctx context.Context, name string, b Blob) (created bool, err error)
	// Get reads a blob. Errors: NotFound when it does not exist.
	Get(ctx context.Context, name string) (Blob, error)
	// Exists reports whether a blob with that name exists.
	Exists(ctx context.Context, name string) (bool, error)
	// Delete removes a blob. It returns no error when the blob does not exist.
	Delete(ctx context.Context, name string) error
	// List yields names that begin with prefix, in order.
	List(ctx context.Context, prefix string) iter.Seq2[string, error]
}
