package sqlitefile

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Damage is an error that reports a damaged file.
type Damage string

func (d Damage) Error() string { return string(d) }

// IsDamage reports whether an error means that the file is damaged, or is not a database.
func IsDamage(err error) bool { return causeOf(err) == damaged }

// cause is the reason for an error of the driver or the file system.
type cause int

const (
	unknown    cause = iota // a bug of the caller (a misuse, a violated constraint), or an error from another source
	busy                    // another process holds the lock
	full                    // the disk is full
	unwritable              // the process must not write the file
	failing                 // the file system failed for any other reason
	damaged
	passing // the call was interrupted
)

// causeOf returns the cause of an error. Different causes require different reactions.
func causeOf(err error) cause {
	if _, ok := errors.AsType[Damage](err); ok {
		return damaged
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return causeOfCode(e.Code())
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return passing
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return full
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return unwritable
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return failing
	}
	return unknown
}

func causeOfCode(code int) cause {
	if code == sqlite3.SQLITE_IOERR_SHMSIZE {
		return full // the memory that processes share is a file, so SQLite needs disk space for it, too
	}
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return busy
	case sqlite3.SQLITE_FULL:
		return full
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return unwritable
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged
	case sqlite3.SQLITE_IOERR:
		return failing
	case sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM:
		return passing
	}
	return unknown
}

// Explain adds a kind to an error of the driver or the file system, and a text that names the file and says what to
// do. It records errors that do not pass by themselves. Errors that may pass are Unavailable, including a full disk.
// Errors that already have a kind, and errors that a bug causes, are returned unchanged.
func (f *File) Explain(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	switch causeOf(err) {
	case busy:
		return f.Busy(err)
	case full:
		return f.failed("%s: the disk is full; nothing was lost, free some space and go on (%w)", err)
	case unwritable:
		return f.failed(
			"%s cannot be written; the folder and all in it must belong to the user who runs this program (%w)", err)
	case failing:
		return f.failed("%s: a file cannot be read or written; look at the disk and at the system's log (%w)", err)
	case damaged:
		return f.Health.Damaged(fault.New(fault.Unavailable, "%s is damaged; %s (%w)", f.Path, f.Repair, err))
	case passing:
		return fault.New(fault.Unavailable, "%s: %w", f.Path, err)
	}
	return err
}

// Busy returns the error for a call that has waited too long for other processes to finish.
func (f *File) Busy(err error) error {
	return fault.New(fault.Unavailable, "%s: another process has kept it locked for %v; is one stopped or hung? (%w)",
		f.Path, f.Wait.Round(time.Second), err)
}

// failed records a failure. The record is kept until a write succeeds.
func (f *File) failed(sentence string, err error) error {
	return f.Health.Failed(fault.New(fault.Unavailable, sentence, cmp.Or(f.Name, f.Path), err))
}
