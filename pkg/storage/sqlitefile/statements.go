package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync"
)

// Conn is a connection for statements: an [sql.DB], an [sql.Conn] or an [sql.Tx].
type Conn interface {
	Querier
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// Statements prepares each statement of a connection once. A program has a fixed number of statements, so statements
// are never dropped. For a pool of connections, Statements is safe for concurrent use. In a transaction, callers must
// read all rows before they use the same statement again.
type Statements struct {
	on    Conn
	mu    sync.Mutex
	known map[string]*sql.Stmt
	kept  *Transactions // if on is a transaction of these
}

// NewStatements returns the statements for one pool, connection or transaction. The statements of a transaction are
// closed when the transaction ends.
func NewStatements(on Conn) *Statements { return &Statements{on: on, known: map[string]*sql.Stmt{}} }

// QueryContext is [sql.DB.QueryContext] with a prepared statement.
func (s *Statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext is [sql.DB.QueryRowContext] with a prepared statement.
func (s *Statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	stmt, err := s.prepared(ctx, query)
	if err != nil {
		return s.on.QueryRowContext(ctx, query, args...) // the error is in the row
	}
	return stmt.QueryRowContext(ctx, args...)
}

// ExecContext is [sql.DB.ExecContext] with a prepared statement.
func (s *Statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// Row reads one row into dest. It returns [sql.ErrNoRows] when there is no row.
func (s *Statements) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return s.QueryRowContext(ctx, query, args...).Scan(dest...)
}

// Rows reads the rows of a query into dest, one after the other. It yields nil for each row that was read; an error
// is the last that it yields.
func (s *Statements) Rows(ctx context.Context, query string, args []any, dest ...any) iter.Seq[error] {
	return Rows(ctx, s, query, args, dest...)
}

// Rows is like [Statements.Rows] for a statement that is not prepared.
func Rows(ctx context.Context, on rowsQuerier, query string, args []any, dest ...any) iter.Seq[error] {
	return func(yield func(error) bool) {
		rows, err := on.QueryContext(ctx, query, args...)
		if err != nil {
			yield(err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); !yield(err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(err)
		}
	}
}

type rowsQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *Statements) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	stmt := s.known[query]
	s.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.known[query]; first != nil {
		stmt.Close()
		return first, nil
	}
	s.known[query] = stmt
	return stmt, nil
}

func (s *Statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if tx, ok := s.on.(*sql.Tx); ok && s.kept != nil {
		if kept := s.kept.stmt(query); kept != nil {
			return tx.StmtContext(ctx, kept), nil
		}
	}
	return s.on.PrepareContext(ctx, query)
}

// Close closes the statements.
func (s *Statements) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.known {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}

// Transactions begins transactions whose statements stay prepared from one to the next. It is safe for concurrent use.
type Transactions struct {
	db     *sql.DB
	mu     sync.Mutex
	kept   map[string]*sql.Stmt
	wanted map[string]bool // what transactions have used and is not kept yet
}

// NewTransactions returns the transactions of a pool of connections. The statements are closed with the pool.
func NewTransactions(db *sql.DB) *Transactions {
	return &Transactions{db: db, kept: map[string]*sql.Stmt{}, wanted: map[string]bool{}}
}

// Begin begins a transaction.
func (t *Transactions) Begin(ctx context.Context, o *sql.TxOptions) (*sql.Tx, *Statements, error) {
	// A pool of one connection can prepare nothing while a transaction holds that connection. So a statement is kept
	// from the second transaction on.
	for _, query := range t.taken() {
		if err := t.keep(ctx, query); err != nil {
			return nil, nil, err
		}
	}
	tx, err := t.db.BeginTx(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	s := NewStatements(tx)
	s.kept = t
	return tx, s, nil
}

// taken returns the statements that are wanted, and forgets them.
func (t *Transactions) taken() (queries []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for query := range t.wanted {
		queries = append(queries, query)
	}
	clear(t.wanted)
	return queries
}

func (t *Transactions) keep(ctx context.Context, query string) error {
	stmt, err := t.db.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept[query] != nil {
		return stmt.Close()
	}
	t.kept[query] = stmt
	return nil
}

// stmt returns the kept statement. If there is none, it returns nil, and the next transaction keeps the statement.
func (t *Transactions) stmt(query string) *sql.Stmt {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept[query] == nil {
		t.wanted[query] = true
	}
	return t.kept[query]
}
