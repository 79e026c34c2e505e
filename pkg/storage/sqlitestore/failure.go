package sqlitestore

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// ended is the port's answer to a call whose context is over.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

func errClosed() error { return fault.New(fault.Unavailable, "the store is closed") }

// kinded gives an error of the driver or the file system its kind, and says which file it is about and what to do.
// Damage ends all writing: a write that was acknowledged now would be lost with the file when the backup is restored.
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
