package sqlitestore

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// ended is the port's answer to a call whose context is over.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

func errClosed() error { return fault.New(fault.Unavailable, "the store is closed") }

// kinded gives an error of the driver or the file system its kind, and says which file it is
// about and what to do. Errors that have a kind pass. What SQLite calls a misuse or a constraint
// stays Internal: it is a bug of this package.
func (s *Store) kinded(ctx context.Context, err error) error {
	switch {
	case err == nil || fault.KindOf(err) != fault.Internal:
		return err
	case ctx.Err() != nil:
		return ended(ctx)
	case s.isClosed():
		return errClosed()
	case errors.Is(err, errDamagedRow):
		return s.damaged(err)
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return s.kindOfCode(e)
	}
	return s.kindOfFile(err)
}

func (s *Store) kindOfCode(err *sqlite.Error) error {
	if err.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return s.full(err) // the memory that processes share is a file, too
	}
	switch err.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return s.busy(err)
	case sqlite3.SQLITE_FULL:
		return s.full(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return s.unwritable(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return s.damaged(err)
	case sqlite3.SQLITE_IOERR:
		return s.failing(err)
	case sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM:
		return fault.New(fault.Unavailable, "%s: %w", s.path, err)
	}
	return err
}

// kindOfFile is for blobs and locks. Errors of the file system name the file themselves.
func (s *Store) kindOfFile(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return s.full(err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return s.unwritable(err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return s.failing(err)
	}
	return err
}

func (s *Store) busy(err error) error {
	return fault.New(fault.Unavailable, "%s: another process has kept it locked for %v; is one stopped or hung? (%w)",
		s.path, busyLimit.Round(time.Second), err)
}

func (s *Store) full(err error) error {
	return s.health.Failed(fault.New(fault.Unavailable,
		"store in %s: the disk is full; nothing was lost, free some space and go on (%w)", s.dir, err))
}

func (s *Store) unwritable(err error) error {
	return s.health.Failed(fault.New(fault.Unavailable,
		"store in %s cannot be written; the folder and all in it must belong to the user who runs this program (%w)",
		s.dir, err))
}

// failing is for what the system refused for another reason.
func (s *Store) failing(err error) error {
	return s.health.Failed(fault.New(fault.Unavailable,
		"store in %s: a file cannot be read or written; look at the disk and at the system's log (%w)", s.dir, err))
}

// damaged ends all writing: a write that was acknowledged now would be lost with the file when the
// backup is restored.
func (s *Store) damaged(err error) error {
	s.log.Error("store damaged", "path", s.path, "err", err)
	return s.health.Damaged(fault.New(fault.Unavailable,
		"%s is damaged; stop the program, keep a copy of %s, and restore a backup or repair it with sqlite3's .recover (%w)",
		s.path, s.dir, err))
}
