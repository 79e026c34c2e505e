package sqlitesearch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search/postings"
)

// setAsideIfDamaged looks at the file before it is used and renames it when it cannot be.
func (ix *Index) setAsideIfDamaged() error {
	if info, err := os.Stat(ix.path); err != nil || info.Size() == 0 {
		return nil // nothing to look at; Create makes it
	}
	err := ix.examine()
	if err == nil || !isDamage(err) {
		return err
	}
	aside, renameErr := setAside(ix.path)
	if renameErr != nil {
		return fault.New(fault.Unavailable, "search index %s is damaged (%w) and cannot be set aside: %w", ix.path, err,
			renameErr)
	}
	ix.log.Error("search index damaged, set aside, starting an empty one", "path", ix.path, "aside", aside, "err", err)
	return nil
}

// examine reports damage, or why the file is not ours to use.
func (ix *Index) examine() error {
	if _, err := os.Stat(ix.marker()); err == nil {
		return errDamaged
	}
	if isCutOff(ix.path) {
		return errCutOff
	}
	db, err := openPool(ix.path, 1, "deferred")
	if err != nil {
		return err
	}
	defer db.Close()
	return kinded(inspect(context.Background(), db))
}

var (
	errDamaged = errors.New("damage was met when the index was last used")
	errCutOff  = errors.New("the file is shorter than it says")
)

func isDamage(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errCutOff) || errors.Is(err, errOutdated) || isCorrupt(err)
}

// isCutOff compares the size in the header (https://sqlite.org/fileformat.html §1.3.7) with the
// file's. While a log stands beside the file, its newest pages may be there instead.
func isCutOff(path string) bool {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [100]byte
	info, err := f.Stat()
	if err != nil {
		return false
	}
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return true
	}
	pageSize, pages := int64(binary.BigEndian.Uint16(header[16:])), int64(binary.BigEndian.Uint32(header[28:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	return pages*pageSize > info.Size()
}

// setAside renames a file and its log to the first free name and returns it. The log goes along,
// or a new file would be "recovered" from it.
func setAside(path string) (aside string, err error) {
	for n := 1; ; n++ {
		aside = fmt.Sprintf("%s.corrupt-%d", path, n)
		if _, err := os.Lstat(aside); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Remove(path + markerSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return aside, nil
}

// markerSuffix names an empty file beside the index: damage was met, set it aside at the next
// opening. It is not done at once, because other connections have the file open.
const markerSuffix = ".damaged"

func (ix *Index) marker() string { return ix.path + markerSuffix }

// fault gives a driver's error its kind and the operation it came from, and remembers damage and what
// an operator has to deal with.
func (ix *Index) fault(operation string, err error) error {
	if err == nil {
		return nil
	}
	if isCorrupt(err) {
		ix.log.Error("search index damaged, restart to set it aside", "path", ix.path, "err", err)
		if f, err := os.Create(ix.marker()); err == nil {
			f.Close()
		}
	}
	err = ix.trouble(kinded(err))
	fault.Wrap(&err, "search index: %s", operation)
	return err
}

// trouble remembers what does not pass by itself, and says what to do about it.
func (ix *Index) trouble(err error) error {
	switch c := code(err); {
	case isCorrupt(err):
		return ix.health.Damaged(fault.New(fault.Unavailable,
			"%s is damaged; restart the program, which puts the file aside and fills a new index by itself (%w)", ix.path, err))
	case c == sqlite3.SQLITE_FULL:
		return ix.health.Failed(fault.New(fault.Unavailable,
			"%s: the disk is full; nothing was lost, free some space and go on (%w)", ix.path, err))
	case c == sqlite3.SQLITE_READONLY, c == sqlite3.SQLITE_CANTOPEN:
		return ix.health.Failed(fault.New(fault.Unavailable,
			"%s cannot be written; it and its folder must belong to the user who runs this program (%w)", ix.path, err))
	case c == sqlite3.SQLITE_IOERR:
		return ix.health.Failed(fault.New(fault.Unavailable,
			"%s cannot be read or written; look at the disk and at the system's log (%w)", ix.path, err))
	}
	return err
}

// Ping reads a row, and tells of damage that was met. After a write met a full disk, or one that cannot
// be written, it tries one of its own.
func (ix *Index) Ping(ctx context.Context) error {
	if _, err := ix.Count(ctx); err != nil {
		return err
	}
	return ix.health.Check(time.Now(), func() error { return ix.tryWrite(ctx) })
}

// tryBytes is the size of what is tried: on a full disk there is often room for less.
const tryBytes = 1 << 16

// tryWrite writes a row of images that is no page's, and removes it. If the program dies here, the next
// try removes it.
func (ix *Index) tryWrite(ctx context.Context) error {
	for _, statement := range []string{
		"INSERT OR REPLACE INTO images (page, id, ordinal, src, alt, title, caption) " +
			"VALUES (-1, '', 0, zeroblob(?), '', '', '')",
		"DELETE FROM images WHERE page = -1 AND length(src) = ?",
	} {
		if _, err := ix.write.ExecContext(ctx, statement, tryBytes); err != nil {
			return ix.fault("write", err)
		}
	}
	return nil
}

// kinded gives an error of the driver its kind. Everything that may pass by itself, a full disk
// included, is Unavailable: the stage that wanted to write tries again.
func kinded(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, "%w", err)
	}
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT,
		sqlite3.SQLITE_NOTADB:
		return fault.New(fault.Unavailable, "%w", err)
	}
	if errors.Is(err, postings.ErrDamaged) {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return err
}

// code is SQLite's primary result code, or 0 when the error is not SQLite's.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func isCorrupt(err error) bool {
	c := code(err)
	return errors.Is(err, postings.ErrDamaged) || c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}
