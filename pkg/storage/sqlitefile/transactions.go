package sqlitefile

import (
	"context"
	"database/sql"
	"sync"
)

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
