package sqlitesearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// setAsideIfUnusable examines the file before its first use. It renames the file if it is damaged or of an earlier
// version.
func (ix *Index) setAsideIfUnusable() error {
	if info, err := os.Stat(ix.file.Path); err != nil || info.Size() == 0 {
		return nil // there is no index yet; Create creates it
	}
	err := ix.examine()
	earlier := IsEarlier(err)
	if !earlier && !sqlitefile.IsDamage(err) {
		return ix.file.Explain(err)
	}
	why := corruptFile
	if earlier {
		why = oldFile
	}
	aside, renameErr := setAside(ix.file.Path, why)
	if renameErr != nil {
		return fault.New(fault.Unavailable, "search index %s cannot be used (%w) and cannot be set aside: %w", ix.file.Path,
			err, renameErr)
	}
	if earlier {
		ix.log.Warn("search index of an earlier version set aside, filling a new one", "path", ix.file.Path, "aside", aside)
	} else {
		ix.log.Error("search index damaged, set aside, starting an empty one", "path", ix.file.Path, "aside", aside,
			"err", err)
	}
	return nil
}

// examine returns the reason why the file cannot be used, or nil.
func (ix *Index) examine() error {
	if _, err := os.Stat(ix.marker()); err == nil {
		return sqlitefile.Damage("damage was met when the index was last used")
	}
	if isCutOff(ix.file.Path) {
		return sqlitefile.Damage("the file is shorter than it says")
	}
	db, err := ix.file.Readers(1)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = ix.file.Inspect(context.Background(), db)
	return err
}

// IsEarlier reports whether an error says that an earlier version wrote the file. [Open] sets such a file aside.
func IsEarlier(err error) bool {
	e, ok := errors.AsType[*sqlitefile.VersionError](err)
	return ok && e.Have < e.Known
}

// isCutOff reports whether the file is shorter than the size in its header (https://sqlite.org/fileformat.html
// §1.3.7). If a log exists beside the file, isCutOff returns false, because the newest pages may be in the log.
func isCutOff(path string) bool {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [sqlitefile.HeadBytes]byte
	info, err := f.Stat()
	if err != nil {
		return false
	}
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return true
	}
	return sqlitefile.SizeOf(header[:]) > info.Size()
}

// SetAside returns the paths of the files that [Open] has set aside for the index at path.
func SetAside(path string) (files []string) {
	for _, why := range []string{corruptFile, oldFile} {
		found, _ := filepath.Glob(path + "." + why + "-*[0-9]") // the pattern is right
		files = append(files, found...)
	}
	return files
}

// These say in the name of a file why it was set aside.
const (
	corruptFile = "corrupt"
	oldFile     = "old"
)

// setAside renames a file and its log to the first unused name, and returns the new name. The log must be renamed,
// too, because SQLite would otherwise apply the old log to a new file.
func setAside(path, why string) (aside string, err error) {
	for n := 1; ; n++ {
		aside = fmt.Sprintf("%s.%s-%d", path, why, n)
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

// markerSuffix is the suffix of an empty file beside the index that records damage. Other connections have the
// damaged index open. Therefore it is not set aside at once, but when it is next opened.
const markerSuffix = ".damaged"

func (ix *Index) marker() string { return ix.file.Path + markerSuffix }

// fault adds a kind and the operation to an error of the driver. It also records damage of the index, and problems
// that an operator has to solve.
func (ix *Index) fault(operation string, err error) error {
	if err == nil {
		return nil
	}
	if sqlitefile.IsDamage(err) {
		ix.log.Error("search index damaged, restart to set it aside", "path", ix.file.Path, "err", err)
		if f, err := os.Create(ix.marker()); err == nil {
			f.Close()
		}
	}
	err = ix.file.Explain(err)
	fault.Wrap(&err, "search index: %s", operation)
	return err
}

// Ping reads a row. It also reports damage that earlier calls found. If a write has failed because the disk was full
// or read-only, Ping also tries to write.
func (ix *Index) Ping(ctx context.Context) error {
	if _, err := ix.Count(ctx); err != nil {
		return err
	}
	return ix.file.Health.Check(time.Now(), func() error { return ix.tryWrite(ctx) })
}

// tryBytes is the size of the test write. It is large because even a full disk often has room for a small write.
const tryBytes = 1 << 16

// tryWrite writes a row of images that belongs to no page, and deletes it. If the program dies before the deletion,
// the next tryWrite deletes the row.
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
