package sqlitesearch

import (
	"context"
	"database/sql"
)

// useModel records the model of the vectors in the index; "" means no model. It deletes vectors of another model.
// After a change of the model the index must be filled again ([Index.Begun]): pages that are not put again would
// never be found by meaning.
func useModel(ctx context.Context, db *sql.DB, model string) error {
	const known = "SELECT coalesce(max(name), '') FROM model"
	var had string
	if err := db.QueryRowContext(ctx, known).Scan(&had); err != nil || had == model {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// The model is read again, because another process may have changed it.
	if err := tx.QueryRowContext(ctx, known).Scan(&had); err != nil || had == model {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM vectors; DELETE FROM bits; DELETE FROM model"); err != nil {
		return err
	}
	if model != "" {
		if _, err := tx.ExecContext(ctx, "INSERT INTO model VALUES (?)", model); err != nil {
			return err
		}
		const begin = "INSERT INTO begun SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM begun)"
		if _, err := tx.ExecContext(ctx, begin); err != nil {
			return err
		}
	}
	return tx.Commit()
}
