package sqlitesearch

import (
	"context"
	"database/sql"
)

// useModel records the model of the vectors in the index, or "" for no model. It deletes the vectors of another
// model. After a change of the model, the index must be filled again ([Index.Begun]), because searches by meaning
// would not find the pages that are not put again.
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
	// The model is read again, because another process may have changed it in the meantime.
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
