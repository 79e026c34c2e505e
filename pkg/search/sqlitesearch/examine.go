package sqlitesearch

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Examine reads the index in the file at path without changing the file. Other processes may use the file at the same
// time. Examine returns the number of pages. If deep is set, it also checks that the whole file can be read. Errors:
// NotFound if there is no index. Other errors report the problem that [Open] would find: damage, or a file of a newer
// program.
func Examine(ctx context.Context, path string, deep bool) (pages int, err error) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return 0, fault.New(fault.NotFound, "%s: %w", path, fs.ErrNotExist)
	}
	ix := &Index{file: databaseAt(path)}
	ix.file.Repair = "stop the program and move the file away; the next start fills a new index"
	if err := ix.examine(); err != nil {
		return 0, ix.file.Explain(err)
	}
	db, err := ix.file.Readers(1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&pages)
	if err == nil && deep {
		err = examineAll(ctx, db)
	}
	return pages, ix.file.Explain(err)
}

// examineAll reads the whole file.
func examineAll(ctx context.Context, db *sql.DB) error {
	damage, err := sqlitefile.Integrity(ctx, db, 1)
	if err != nil {
		return err
	}
	if len(damage) > 0 {
		return sqlitefile.Damage(damage[0])
	}
	return compareWords(ctx, db)
}

// compareWords checks that the words of the index agree with the texts of the chunks.
func compareWords(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	prepared := sqlitefile.NewStatements(tx)
	r, err := postings.NewReader(ctx, prepared)
	if err != nil {
		return err
	}
	known, err := r.Check()
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, tx: prepared}
	a := ranking.NewAnalyzer(postings.MaxWord)
	const most = 1000 // maximum number of rows to read at once
	for after := int64(0); ; {
		chunks, err := w.readRange(after+1, math.MaxInt64, most)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			words, _ := a.Words(c.title, c.heading, c.body, ranking.ZoneFactor(c.zone))
			want := postings.Known{Key: c.id, Words: len(words)}
			if have := known[c.document]; have != want {
				return fmt.Errorf("%w: chunk %d has %d words, the index has %d of %d", postings.ErrDamaged, c.id, want.Words,
					have.Words, have.Key)
			}
			delete(known, c.document)
			after = c.id
		}
		switch {
		case len(chunks) == most:
		case len(known) > 0:
			return fmt.Errorf("%w: it has %d chunks that are gone", postings.ErrDamaged, len(known))
		default:
			return nil
		}
	}
}
