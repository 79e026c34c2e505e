// Package storage is the contract between Tidemark and whatever keeps its state: tables with
// atomic partition transactions, queues with visibility, and blobs that are written once.
//
// The contract is what Azure Tables, Queues and Blobs promise and nothing more, so that every
// adapter (Azure, memory, embedded) can keep it. [storagetest] is the contract as tests; an
// adapter is correct when that suite passes. Every adapter refuses what Azure would refuse, with
// the checks of this package ([CheckTransaction], [CheckKey], …), and copies what it is given and
// what it returns, so neither side sees what the other does to a map or a slice later.
//
// Errors carry a kind of package fault: Invalid for what the port refuses, NotFound, Conflict,
// TooLarge, Throttled, and Unavailable. After Unavailable it is unknown whether the operation took
// effect. A table, queue or container that was never created is Unavailable, so that nobody takes
// a missing table for a missing row; so is a call whose context ended, with the context's error
// in the chain.
// Conflict is always somebody else's write: an adapter that retries a request whose answer was
// lost reads back before it reports one. Adapters retry transport errors themselves, so callers
// do not loop on Unavailable.
//
// [storagetest]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/storage/storagetest
package storage

import (
	"context"
	"iter"
	"time"
)

// Store opens the tables, queues and containers of one account. Opening touches nothing; Create
// on what was opened makes it exist.
type Store interface {
	Table(name string) Table
	Queue(name string) Queue
	Container(name string) Container
	// Ping reports whether the store answers, within ctx.
	Ping(ctx context.Context) error
	Close() error
}

// Key is the address of an entity. Both parts follow [CheckKey].
type Key struct{ Partition, Row string }

// ETag is an opaque revision of an entity. The empty ETag stands for "never read".
type ETag string

// AnyETag matches any revision. Only deletes of rows that nobody else writes and
// tests should need it.
const AnyETag ETag = "*"

// Properties are the columns of an entity: string, bool, int32, int64, float64 and []byte, and
// no other type. Times are stored as fixed-width UTC text by their owners.
type Properties map[string]any

// Entity is a row as read: its key, its columns and the revision they belong to.
type Entity struct {
	Key
	ETag  ETag
	Props Properties
}

// OpKind says what an [Op] does to its row.
type OpKind int

const (
	// Insert makes a row that must not exist yet; Conflict if it does.
	Insert OpKind = iota
	// Replace rewrites the row whose ETag is given; columns left out vanish.
	Replace
	// Merge rewrites the given columns of the row whose ETag is given and keeps the others.
	Merge
	// Upsert inserts or replaces without looking. For rows that are pointers only.
	Upsert
	// Delete removes the row whose ETag is given.
	Delete
)

// Op is one write. Replace, Merge and Delete need Entity.ETag, which may be [AnyETag]; a row that
// is gone is NotFound, a row with another revision is Conflict.
type Op struct {
	Kind   OpKind
	Entity Entity
}

// Query is a range of rows in key order, which is the order of code points (keys that mix
// characters above U+FFFF with some below may be ordered by UTF-16 units instead). Partition names
// one partition; otherwise the range of partitions [PartitionFrom, PartitionTo) is read, an empty bound being open.
// Row bounds are [RowFrom, RowTo) in every partition that is read, an empty bound being open.
//
// Where names text columns and what each must say: other rows are not read out, though the store may have to pass over
// them, and they do not count for PageSize. A row without such a column is another row.
type Query struct {
	Partition                  string
	PartitionFrom, PartitionTo string
	RowFrom, RowTo             string
	Where                      map[string]string
	Select                     []string // columns wanted; all when empty
	PageSize                   int      // a hint, 1 to 1000; 1000 when zero
}

// Table is a sorted set of entities.
type Table interface {
	// Create makes the table if it is missing.
	Create(ctx context.Context) error
	// Get reads one row; NotFound if there is none.
	Get(ctx context.Context, key Key) (Entity, error)
	// Query yields rows in (partition, row) order. It stops at the first error. A row that is
	// written while the query runs may or may not be seen.
	Query(ctx context.Context, q Query) iter.Seq2[Entity, error]
	// Transact applies ops to one partition, all or none, in one round trip, and returns the new
	// revision of each row in the order of ops ("" for deletes). At most 100 ops, one per row.
	// On failure the error is an [*OpError] when one op is to blame.
	Transact(ctx context.Context, ops ...Op) ([]ETag, error)
}

// OpError blames one operation of a transaction.
type OpError struct {
	Index int // of the op in the transaction
	Err   error
}

func (e *OpError) Error() string { return e.Err.Error() }

// Unwrap gives the cause, which carries the kind.
func (e *OpError) Unwrap() error { return e.Err }

// Message is one delivery of a queue message. Receipt belongs to this delivery: it is spent by
// Delete and replaced by Extend.
type Message struct {
	ID          string
	Receipt     string
	Body        []byte
	Malformed   bool // the stored text is not what Send writes; Body is the text as stored
	Dequeued    int  // deliveries so far, this one included
	Inserted    time.Time
	Expires     time.Time
	NextVisible time.Time
}

// Queue delivers every message at least once, in no promised order. Messages never expire.
type Queue interface {
	// Create makes the queue if it is missing.
	Create(ctx context.Context) error
	// Send adds a message of at most [MaxMessageBytes] that becomes visible after delay (0 to 7
	// days). A send that was retried inside the adapter may arrive twice.
	Send(ctx context.Context, body []byte, delay time.Duration) error
	// Receive takes up to max (1 to 32) visible messages and hides them for visibility (1 s to
	// 7 days). It does not wait for messages. Times are rounded up to whole seconds.
	Receive(ctx context.Context, max int, visibility time.Duration) ([]Message, error)
	// Extend hides a received message for visibility from now (0 shows it at once) and returns
	// it with its new receipt. NotFound when the message was delivered again since.
	Extend(ctx context.Context, m Message, visibility time.Duration) (Message, error)
	// Delete removes a received message. NotFound when the message was delivered again since, or is already deleted.
	Delete(ctx context.Context, m Message) error
	// Length is the approximate number of messages, hidden ones included.
	Length(ctx context.Context) (int, error)
}

// Blob is an immutable object. Metadata keys are lower-case ASCII letters, digits and
// underscores, values printable ASCII.
type Blob struct {
	Body        []byte
	ContentType string
	Metadata    map[string]string
}

// Container holds blobs that are written once.
type Container interface {
	// Create makes the container if it is missing.
	Create(ctx context.Context) error
	// Put writes a blob unless the name is taken; created is false when it was.
	Put(ctx context.Context, name string, b Blob) (created bool, err error)
	// Get reads a blob; NotFound if there is none.
	Get(ctx context.Context, name string) (Blob, error)
	// Exists reports whether there is a blob of that name.
	Exists(ctx context.Context, name string) (bool, error)
	// Delete removes a blob; removing what is not there is no error.
	Delete(ctx context.Context, name string) error
	// List yields names that begin with prefix, in order.
	List(ctx context.Context, prefix string) iter.Seq2[string, error]
}
