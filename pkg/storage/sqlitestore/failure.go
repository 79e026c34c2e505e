package sqlitestore

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// ended returns the port's error for a call whose context has ended.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

func errClosed() error { return fault.New(fault.Unavailable, "the store is closed") }

// kinded adds a kind to an error of the driver or the file system, and a text that names the file and says what to
// do. After damage, the store refuses all writes, because they would be lost when a backup is restored.
func (s *Store) kinded(ctx context.Context, err error) error {
	switch {
	case err == nil || fault.KindOf(err) != fault.Internal:
		return err
	case ctx.Err() != nil:
		return ended(ctx)
	case s.isClosed():
		return errClosed()
	}
	if sqlitefile.IsDamage(err) {
		s.log.Error("store damaged", "path", s.file.Path, "err", err)
	}
	return s.file.Explain(err)
}
