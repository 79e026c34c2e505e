// Package storage is the contract between Tidemark and the services that keep its state: tables with atomic partition
// transactions, queues with visibility, and blobs that are written once.
//
// The contract is what Azure Tables, Queues and Blobs promise and nothing more, so every adapter (Azure, memory,
// embedded) can fulfil it. [storagetest] is the contract in the form of tests. An adapter is correct if that suite
// passes. Every adapter refuses what Azure would refuse, with the checks of this package ([CheckTransaction],
// [CheckKey], …). Every adapter copies its arguments and its results. So a later change to a map or a slice, by the
// adapter or by its caller, does not affect the other.
//
// Errors have a kind of package fault: Invalid for what the port refuses, NotFound, Conflict, TooLarge, Throttled,
// and Unavailable. After Unavailable, it is unknown whether the operation took effect. A table, queue or container
// that was never created is Unavailable, so that a missing table is never confused with a missing row. A call whose
// context has ended is also Unavailable, with the context's error in the chain.
//
// A Conflict always comes from the write of another client: if an adapter has retried a request after a lost answer,
// it reads the rows back before it reports a Conflict. Adapters retry transport errors themselves, so callers do not
// retry after Unavailable.
//
// # Deferred writes
//
// A write normally returns when it is durable. A deferred write ([Deferred]) need not be: it is durable no later than
// the next write of the same process that is not deferred. It is for the steps of a sequence that only a later write
// acknowledges.
//
//   - If the process or the machine fails, deferred writes may be lost, but only the last ones in the order in which
//     the store acknowledged them. If a write is there, so are all writes that were acknowledged before it.
//   - This process reads a deferred write at once. Other processes read it after this process's next write that is
//     not deferred, at the latest.
//   - A store holds a deferred write for at most [MaxHeldTime], at most [MaxHeld] of them, and only until another
//     process waits for its turn. [Store.Flush] ends this at once. It is called before an answer to a client or to
//     the Functions host, so nothing that a call has written is held when it returns to them.
//   - If a deferred write is refused, this write alone has no effect.
//
// A sequence that also writes elsewhere, such as into the search index, first waits for the rows that show an
// interruption. For a store behind a service, such as Azure's, a deferred write is like any other.
//
// [storagetest]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/storage/storagetest
package storage

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Store opens the tables, queues and containers of one account. Opening one of them sends no request. Its Create
// method creates it.
type Store interface {
	Table(name string) Table
	Queue(name string) Queue
	Container(name string) Container
	// Ping returns an error unless the store answers before ctx ends.
	Ping(ctx context.Context) error
	// Flush makes all deferred writes of this process durable ([Deferred]). If there are none, it does nothing.
	Flush(ctx context.Context) error
	Close() error
}

// Key is the address of an entity. Both parts must satisfy [CheckKey].
type Key struct{ Partition, Row string }

// ETag is an opaque revision of an entity. The empty ETag is that of an entity that was never read.
type ETag string

// AnyETag matches any revision. It is meant only for tests, and for deletes of rows that no other process writes.
const AnyETag ETag = "*"

// Properties are the columns of an entity, of type string, bool, int32, int64, float64 or []byte. Packages that store
// times write them as UTC text of fixed width.
type Properties map[string]any

// Entity is a row: its key, its columns and the revision at which it was read.
type Entity struct {
	Key
	ETag  ETag
	Props Properties
}

// OpKind is the way in which an [Op] changes its row.
type OpKind int

const (
	// Insert creates a row. Errors: Conflict if the row exists.
	Insert OpKind = iota
	// Replace rewrites the row with the given ETag. It removes all columns that are not given.
	Replace
	// Merge rewrites the given columns of the row with the given ETag. It keeps all other columns.
	Merge
	// Upsert inserts or replaces a row without checking its revision. It is only for rows that merely point to
	// others.
	Upsert
	// Delete removes the row with the given ETag.
	Delete
)

// Op is one write. Replace, Merge and Delete need Entity.ETag, which may be [AnyETag]. Errors: NotFound if the row
// does not exist; Conflict if it has another revision.
type Op struct {
	Kind   OpKind
	Entity Entity
}

// DeleteOp returns the operation that deletes a row, if it has the given revision.
func DeleteOp(key Key, etag ETag) Op { return Op{Kind: Delete, Entity: Entity{Key: key, ETag: etag}} }

// DeleteRow deletes a row, whatever its revision. That the row is not there is no error.
func DeleteRow(ctx context.Context, t Table, key Key) error {
	_, err := t.Transact(ctx, DeleteOp(key, AnyETag))
	return fault.Except(err, fault.NotFound)
}

// TransactAll applies any number of ops of one partition, in several transactions one after the other.
func TransactAll(ctx context.Context, t Table, ops []Op) error {
	for part := range slices.Chunk(ops, MaxOps) {
		if _, err := t.Transact(ctx, part...); err != nil {
			return err
		}
	}
	return nil
}

// Query selects a range of rows in key order, which is the order of code points. (If keys mix characters above U+FFFF
// with some below, their order may be that of UTF-16 units instead.) If Partition is set, the query reads that
// partition. If it is empty, the query reads the partitions in [PartitionFrom, PartitionTo). In every partition it
// reads the rows in [RowFrom, RowTo). An empty bound is open.
//
// Where holds the values that text columns must have. Rows with other values, or without such a column, are not
// returned and do not count towards PageSize, though the store may have to read them.
type Query struct {
	Partition                  string
	PartitionFrom, PartitionTo string
	RowFrom, RowTo             string
	Where                      map[string]string
	Select                     []string // the columns to return; if empty, all columns
	PageSize                   int      // a hint from 1 to 1000; zero means 1000
}

// Table is a sorted set of entities.
type Table interface {
	// Create creates the table if it is missing.
	Create(ctx context.Context) error
	// Get reads one row. Errors: NotFound if the row does not exist.
	Get(ctx context.Context, key Key) (Entity, error)
	// Query yields rows in (partition, row) order. It stops at the first error. A row that is written while the query
	// runs may be included or not.
	Query(ctx context.Context, q Query) iter.Seq2[Entity, error]
	// Transact applies all ops or none of them, in one round trip. All ops must be on one partition. It returns the
	// new revision of each row in the order of the ops ("" for deletes). There may be at most 100 ops, one per row.
	// If the error concerns one op, it is an [*OpError].
	Transact(ctx context.Context, ops ...Op) ([]ETag, error)
}

// OpError is an error that concerns one operation of a transaction.
type OpError struct {
	Index int // index of the op in the transaction
	Err   error
}

func (e *OpError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which has the kind.
func (e *OpError) Unwrap() error { return e.Err }

// Message is one delivery of a queue message. The Receipt belongs to this delivery: Delete invalidates it, and Extend
// replaces it.
type Message struct {
	ID          string
	Receipt     string
	Body        []byte
	Malformed   bool // Send did not write the stored text, which is the Body, unchanged
	Dequeued    int  // number of deliveries so far, including this one
	Inserted    time.Time
	Expires     time.Time
	NextVisible time.Time
}

// Queue delivers every message at least once, in any order. Messages never expire.
type Queue interface {
	// Create creates the queue if it is missing.
	Create(ctx context.Context) error
	// Send adds a message of at most [MaxMessageBytes] that becomes visible after the given delay (0 to 7 days). If
	// the adapter retries the send, the message may arrive twice.
	Send(ctx context.Context, body []byte, delay time.Duration) error
	// Receive receives up to max (1 to 32) visible messages and hides them for the given time (1 s to 7 days). It
	// does not wait for messages. Times are rounded up to whole seconds.
	Receive(ctx context.Context, max int, visibility time.Duration) ([]Message, error)
	// Extend hides a received message for the given time from now on, and returns it with its new receipt. If the
	// time is 0, the message is visible at once. Errors: NotFound if the message was delivered again in the meantime.
	Extend(ctx context.Context, m Message, visibility time.Duration) (Message, error)
	// Delete removes a received message. Errors: NotFound if the message was delivered again in the meantime, or is
	// already deleted.
	Delete(ctx context.Context, m Message) error
	// Length returns the approximate number of messages, including hidden ones.
	Length(ctx context.Context) (int, error)
	// Waits reports whether a message is visible, so that Receive would return it. It changes no message.
	Waits(ctx context.Context) (bool, error)
}

// Blob is an immutable object. Its metadata keys consist of lower-case ASCII letters, digits and underscores. The
// values are printable ASCII.
type Blob struct {
	Body        []byte
	ContentType string
	Metadata    map[string]string
}

// Container holds blobs that are written once.
type Container interface {
	// Create creates the container if it is missing.
	Create(ctx context.Context) error
	// Put writes a blob unless a blob with that name exists. It returns created = false if one exists.
	Put(ctx context.Context, name string, b Blob) (created bool, err error)
	// Get reads a blob. Errors: NotFound if the blob does not exist.
	Get(ctx context.Context, name string) (Blob, error)
	// Exists reports whether a blob with that name exists.
	Exists(ctx context.Context, name string) (bool, error)
	// Delete removes a blob. If the blob does not exist, Delete returns no error.
	Delete(ctx context.Context, name string) error
	// List yields the names that begin with prefix, in order.
	List(ctx context.Context, prefix string) iter.Seq2[string, error]
}
