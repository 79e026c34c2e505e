package sqlitestore

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxSmall is the largest body, in bytes, that stays in its blob's row: a file is made in seven
// calls of the system and three syncs, a row in the next transaction that others share. Above it,
// copying the body through the log costs more.
const maxSmall = 32768

// bodies are the files of the larger blobs:
//
//	blobs/<container>/<xx>/<file>   a body; xx is how the file's name begins
//	blobs/.pending/<container>.<file>   somebody is writing or removing that body
//
// A file's name is a hash of the blob's and a random part, so that nothing a caller names leaves
// the folder and two writers of one blob never meet. A row makes a body a blob, so the body is
// durable before its row is written, and the row is gone before its body is.
//
// The mark in .pending is made first and removed last. After a crash it leads to the only files
// that may be nobody's (leftovers.go); without it they could only be found by reading every
// folder.
type bodies struct {
	root string
	made sync.Map // folders that are known to exist
}

const (
	pendingDir  = ".pending" // no container's name begins with a dot
	partialName = ".part"    // ends the name of a body that is not yet whole
)

// checksums tell a damaged body from a whole one.
var checksums = crc32.MakeTable(crc32.Castagnoli)

// body is a file, and the pending file that says that no blob may have it.
type body struct {
	container, file string
	path, pending   string
}

func (b *bodies) prepare() error {
	if err := os.MkdirAll(filepath.Join(b.root, pendingDir), 0o700); err != nil {
		return err
	}
	dir := filepath.Dir(b.root)
	return errors.Join(syncDir(b.root), syncDir(dir), syncDir(filepath.Dir(dir)))
}

// name makes the name of a new file for a blob.
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

// write makes a body durable. What it leaves behind when it fails is marked.
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

// makeDir makes a folder of a container, durably, once.
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

// tryWrite writes a file of a size, and removes it. Its name is no mark's, having no dot.
func (b *bodies) tryWrite(size int) error {
	f, err := os.CreateTemp(filepath.Join(b.root, pendingDir), "try")
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

// stillPending fails when the pending file is gone, because the body was removed as a leftover.
func (f body) stillPending() error {
	if _, err := os.Stat(f.pending); err != nil {
		return fault.New(fault.Unavailable, "the blob took so long to write that it was cleared away; put it again (%w)", err)
	}
	return nil
}

// clearPending removes the pending file: the body is a blob's, or is gone.
func (f body) clearPending() error { return gone(os.Remove(f.pending)) }

// remove removes whatever there is of the body. It is marked before and after.
func (f body) remove() error {
	return errors.Join(gone(os.Remove(f.path+partialName)), gone(os.Remove(f.path)))
}

// discard removes the body and its mark.
func (f body) discard() error {
	if err := f.remove(); err != nil {
		return err
	}
	return f.clearPending()
}

// gone lets a file be removed that is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// errDamagedBody is a body that is not what its row says.
var errDamagedBody = errors.New("the file is not what was written")

// read reads a body of that size and checksum; fs.ErrNotExist when there is no file.
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
