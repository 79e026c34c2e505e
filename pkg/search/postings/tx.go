package postings

import (
	"context"
	"database/sql"
)

// Tx is a transaction that prepares each of its statements once, however often it is used. Rows have to be read before
// their statement is used again.
type Tx struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt // closed at the transaction's end
}

// NewTx is for the transaction that was begun.
func NewTx(tx *sql.Tx) *Tx { return &Tx{tx, map[string]*sql.Stmt{}} }

// QueryContext is that of [sql.Tx].
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// QueryRowContext is that of [sql.Tx].
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := t.prepared(ctx, query)
	if err != nil {
		return t.tx.QueryRowContext(ctx, query, args...) // whose row has the error
	}
	return s.QueryRowContext(ctx, args...)
}

// ExecContext is that of [sql.Tx].
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := t.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (t *Tx) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.tx.PrepareContext(ctx, query)
	if err == nil {
		t.stmts[query] = s
	}
	return s, err
}
