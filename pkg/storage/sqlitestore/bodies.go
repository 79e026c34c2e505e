package sqlitestore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxSmall is the largest size of a body, in bytes, that is stored in its blob's row. Creating a file takes seven
// system calls and three syncs, while a row only joins the next transaction. For larger bodies, it would cost more
// than this to copy the body through SQLite's log.
const maxSmall = 32768

// bodies manages the files of the larger blobs:
//
//	blobs/<container>/<xx>/<file>   a body; xx is the beginning of the file's name
//	blobs/.pending/<container>.<file>   a marker: a process is writing or removing that body
//
// A file's name consists of a hash of the blob's name and a random part. So no blob name can lead out of the folder,
// and two writers of one blob use different files. A body belongs to a blob only if a row says so. Therefore the body
// is made durable before its row is written, and the row is deleted before its body.
//
// The marker in .pending is created first and removed last. After a crash, markers lead to all files that may be
// leftovers (leftovers.go). Without markers, every folder would have to be read to find leftovers.
type bodies struct {
	root string
	made sync.Map // folders that are known to exist
}

const (
	pendingDir  = ".pending" // the name of a container cannot begin with a dot
	partialName = ".part"    // the suffix of an incomplete body
)

// checksums is the table for the checksums that detect damaged bodies.
var checksums = crc32.MakeTable(crc32.Castagnoli)

// body is a file and its marker.
type body struct {
	container, file string
	path, pending   string
}

func (b *bodies) prepare() error {
	if err := os.MkdirAll(b.pendingFolder(), 0o700); err != nil {
		return err
	}
	dir := filepath.Dir(b.root)
	return errors.Join(syncDir(b.root), syncDir(dir), syncDir(filepath.Dir(dir)))
}

func (b *bodies) pendingFolder() string { return filepath.Join(b.root, pendingDir) }

// fileName returns the name of a new file for a blob.
func fileName(blob string) string {
	sum := sha256.Sum256([]byte(blob))
	return hex.EncodeToString(sum[:10]) + "-" + rand.Text()
}

func (b *bodies) body(container, file string) body {
	return body{
		container: container, file: file,
		path:    filepath.Join(b.root, container, file[:2], file),
		pending: filepath.Join(b.root, pendingDir, container+"."+file),
	}
}

// write writes a body to a new file and makes it durable. If write fails, any file that remains has a marker.
func (b *bodies) write(container, blob string, data []byte) (body, error) {
	f := b.body(container, fileName(blob))
	if err := f.setPending(); err != nil {
		return f, err
	}
	dir := filepath.Dir(f.path)
	if err := b.makeDir(dir); err != nil {
		return f, err
	}
	if err := writeSynced(f.path+partialName, data); err != nil {
		return f, err
	}
	if err := os.Rename(f.path+partialName, f.path); err != nil {
		return f, err
	}
	return f, syncDir(dir)
}

// makeDir creates a folder of a container and makes it durable. It does so once for each folder.
func (b *bodies) makeDir(dir string) error {
	if _, known := b.made.Load(dir); known {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := errors.Join(syncDir(parent), syncDir(filepath.Dir(parent))); err != nil {
		return err
	}
	b.made.Store(dir, true)
	return nil
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// tryWrite writes a file of the given size and removes it. The file's name has no dot, so it cannot be confused with
// a marker.
func (b *bodies) tryWrite(size int) error {
	f, err := os.CreateTemp(b.pendingFolder(), "try")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func (f body) setPending() error {
	m, err := os.OpenFile(f.pending, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return m.Close()
}

// stillPending returns an error if the marker is gone, because another process has then removed the body as a
// leftover.
func (f body) stillPending() error {
	if _, err := os.Stat(f.pending); err != nil {
		return fault.New(fault.Unavailable, "the blob took so long to write that it was cleared away; put it again (%w)", err)
	}
	return nil
}

// clearPending removes the marker, once the body belongs to a blob or is removed.
func (f body) clearPending() error { return gone(os.Remove(f.pending)) }

// remove removes all files of the body except the marker. The marker must exist before the call, and still exists
// after it.
func (f body) remove() error {
	return errors.Join(gone(os.Remove(f.path+partialName)), gone(os.Remove(f.path)))
}

// discard removes the body and its marker.
func (f body) discard() error {
	if err := f.remove(); err != nil {
		return err
	}
	return f.clearPending()
}

// gone converts the error for a missing file to success.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// errDamagedBody is the error for a body that does not match its row.
var errDamagedBody = errors.New("the file is not what was written")

// read reads a body and compares it with the given size and checksum. It returns fs.ErrNotExist if there is no file.
func (f body) read(size int64, sum uint32) ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != size {
		return nil, errDamagedBody
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	if crc32.Checksum(data, checksums) != sum {
		return nil, errDamagedBody
	}
	return data, nil
}

// maxDamage limits the length of the list that [Examine] returns.
const maxDamage = 10

// Examine reads the whole store in dir, and lists its damage: damaged pages of the database and damaged bodies of
// blobs, at most 10 in all. Other processes may use the store at the same time. Examine returns an error if it could
// not read the store at all, for example NotFound for a store that does not exist, or the error for another version.
func Examine(ctx context.Context, dir string) (damage []string, err error) {
	s := newStore(dir, Options{})
	defer func() { err = s.kinded(ctx, err) }()
	if _, err := os.Stat(s.file.Path); err != nil {
		return nil, fault.New(fault.NotFound, "%w", err)
	}
	release, err := holdBodies(dir) // keeps bodies that are deleted meanwhile, which would appear to be lost
	if err != nil {
		return nil, err
	}
	defer release()
	db, err := s.file.Readers(2)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := s.file.CheckVersion(ctx, db); err != nil {
		return nil, err
	}
	if damage, err = sqlitefile.Integrity(ctx, db, maxDamage); err != nil {
		return nil, err
	}
	bodies, err := damagedBodies(ctx, s, db, maxDamage-len(damage))
	return append(damage, bodies...), err
}

// damagedBodies compares each body with the checksum in its row.
func damagedBodies(ctx context.Context, s *Store, db *sql.DB, most int) (damage []string, err error) {
	var container, blob, file string
	var size, sum int64
	var small bool
	var data []byte
	for err := range sqlitefile.Rows(ctx, db, `SELECT c.name, b.name, b.file, b.size, b.sum, b.body IS NOT NULL, b.body
		FROM blobs b JOIN created c ON c.id = b.container`, nil, &container, &blob, &file, &size, &sum, &small, &data) {
		if err != nil || len(damage) == most {
			return damage, err
		}
		where := s.file.Path
		if small {
			if int64(len(data)) != size || int64(crc32.Checksum(data, checksums)) != sum {
				err = errDamagedBody
			}
		} else {
			f := s.bodies.body(container, file)
			where = f.path
			_, err = f.read(size, uint32(sum))
		}
		if errors.Is(err, errDamagedBody) || errors.Is(err, fs.ErrNotExist) {
			damage, err = append(damage, fmt.Sprintf("blob %s of %s, in %s: %v", blob, container, where, err)), nil
		}
		if err != nil {
			return damage, err
		}
	}
	return damage, nil
}
