package sqlitestore

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// A backup is a tar file in a zstd frame:
//
//	tidemark-backup.json     the description of the backup: a [Contents]
//	state.db                 the database at one moment
//	blobs/<container>/<file> the bodies that the database's rows refer to, in the order of their files
//	digest                   SHA-256 of all names, sizes and bytes before it
//
// The digest proves that the backup is complete, because a truncated backup has no last entry.
const (
	backupFormat  = "tidemark-backup"
	backupVersion = 1
	headerName    = "tidemark-backup.json"
	stateName     = "state.db"
	digestName    = "digest"
)

// Contents describes a backup.
type Contents struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	MadeAt   time.Time `json:"madeAt"`
	MadeBy   string    `json:"madeBy"` // name and version of the program
	Schema   int       `json:"schema"` // version of the database's tables
	Rows     int       `json:"rows"`
	Messages int       `json:"messages"`
	Blobs    int       `json:"blobs"`
	Bytes    int64     `json:"bytes"` // size of the database and of all bodies
}

// BackupOptions configure [Backup] and [Restore].
type BackupOptions struct {
	MadeAt time.Time
	MadeBy string
	// Scratch is the path of a temporary copy of the database, which is removed at the end. Restore uses it only when
	// it verifies a backup without restoring it.
	Scratch string
	// Progress is called with the number of bytes that are done, and the total number. The total is 0 while it is
	// unknown. Progress may be nil.
	Progress func(doing string, done, total int64)
}

func (o BackupOptions) progress(doing string, done, total int64) {
	if o.Progress != nil {
		o.Progress(doing, done, total)
	}
}

// Backup writes to w the state that a store has at one moment. The store is in dir. Other processes may read and
// write it meanwhile. Backup does not block them: the bodies of blobs that they delete are kept until the backup is
// done. Backup needs memory for one body. Errors: NotFound if the store does not exist. There are also errors for a
// damaged body, and for another backup of the same store at the same time.
func Backup(ctx context.Context, dir string, w io.Writer, o BackupOptions) (c Contents, err error) {
	s := newStore(dir, Options{})
	defer func() { err = s.kinded(ctx, err) }()
	if _, err := os.Stat(s.file.Path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fault.New(fault.NotFound, "%s is not there: no store to back up", s.file.Path)
		}
		return c, err
	}
	release, err := holdBodies(dir) // before the copy, so that the bodies of blobs that are deleted later are kept
	if err != nil {
		return c, err
	}
	defer release()
	defer os.Remove(o.Scratch)
	if err := copyDatabase(ctx, s, o); err != nil {
		return c, err
	}
	db, err := databaseAt(o.Scratch).Readers(1)
	if err != nil {
		return c, err
	}
	defer db.Close()
	if c, err = contentsOf(ctx, db, o); err != nil {
		return c, err
	}
	return c, pack(ctx, s, db, w, c, o)
}

// copyDatabase copies the state of the database at one moment. The copying connection only reads, so other
// connections can write meanwhile.
func copyDatabase(ctx context.Context, s *Store, o BackupOptions) error {
	if err := gone(os.Remove(o.Scratch)); err != nil {
		return err
	}
	db, err := s.file.Writer()
	if err != nil {
		return err
	}
	defer db.Close()
	if err := s.file.CheckVersion(ctx, db); err != nil {
		return err
	}
	info, err := os.Stat(s.file.Path)
	if err != nil {
		return err
	}
	watched := make(chan struct{})
	defer close(watched)
	go func() {
		for {
			select {
			case <-watched:
				return
			case <-time.After(200 * time.Millisecond):
				if part, err := os.Stat(o.Scratch); err == nil {
					o.progress("copying rows", part.Size(), info.Size())
				}
			}
		}
	}()
	// VACUUM INTO makes a consistent copy without free pages (https://sqlite.org/lang_vacuum.html#vacuuminto).
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", o.Scratch)
	if err != nil {
		return err
	}
	return os.Chmod(o.Scratch, 0o600)
}

func contentsOf(ctx context.Context, db *sql.DB, o BackupOptions) (c Contents, err error) {
	c = Contents{Format: backupFormat, Version: backupVersion, Schema: format.Version, MadeAt: o.MadeAt.UTC(),
		MadeBy: o.MadeBy}
	err = db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM rows), (SELECT count(*) FROM messages),
		(SELECT count(*) FROM blobs), (SELECT coalesce(sum(size), 0) FROM blobs WHERE body IS NULL)`).
		Scan(&c.Rows, &c.Messages, &c.Blobs, &c.Bytes)
	if err != nil {
		return c, err
	}
	info, err := os.Stat(o.Scratch)
	if err == nil {
		c.Bytes += info.Size()
	}
	return c, err
}

// packer writes the entries of a backup and computes their digest.
type packer struct {
	bodies *bodies
	tar    *tar.Writer
	sum    hash.Hash
	o      BackupOptions
	c      Contents
	done   int64
}

func pack(ctx context.Context, s *Store, db *sql.DB, w io.Writer, c Contents, o BackupOptions) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	p := &packer{bodies: &s.bodies, tar: tar.NewWriter(z), sum: sha256.New(), o: o, c: c}
	header, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := errors.Join(p.add(headerName, header), p.addFile(ctx, stateName, o.Scratch)); err != nil {
		return err
	}
	if err := p.addBodies(ctx, db); err != nil {
		return err
	}
	if err := p.add(digestName, []byte(hex.EncodeToString(p.sum.Sum(nil)))); err != nil {
		return err
	}
	return errors.Join(p.tar.Close(), z.Close())
}

const bodiesQuery = `SELECT c.name, b.name, b.file, b.size, b.sum FROM blobs b JOIN created c ON c.id = b.container
	WHERE b.body IS NULL`

func (p *packer) addBodies(ctx context.Context, db *sql.DB) error {
	var container, blob, file string
	var size, sum int64
	for err := range sqlitefile.Rows(ctx, db, bodiesQuery+" ORDER BY b.file", nil, &container, &blob, &file, &size, &sum) {
		if err != nil {
			return err
		}
		f := p.bodies.body(container, file)
		data, err := f.read(size, uint32(sum))
		if errors.Is(err, errDamagedBody) || errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Unavailable, "blob %s of %s is damaged or gone, so this would be no backup: put %s back, "+
				"or delete the blob (%w)", blob, container, f.path, err)
		}
		if err != nil {
			return err
		}
		if err := p.add(bodyEntry(container, file), data); err != nil {
			return err
		}
	}
	return nil
}

func bodyEntry(container, file string) string { return "blobs/" + container + "/" + file }

func (p *packer) add(name string, data []byte) error {
	if err := p.begin(name, int64(len(data))); err != nil {
		return err
	}
	return p.write(data)
}

func (p *packer) addFile(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := p.begin(name, info.Size()); err != nil {
		return err
	}
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err := errors.Join(err, ctx.Err(), p.write(buf[:n])); err != nil {
			return err
		}
	}
}

func (p *packer) begin(name string, size int64) error {
	sumEntry(p.sum, name, size)
	return p.tar.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: size, ModTime: p.c.MadeAt,
		Format: tar.FormatPAX})
}

// sumEntry adds the size and name of an entry to the digest. They separate the entry from the previous one.
func sumEntry(h hash.Hash, name string, size int64) { fmt.Fprintf(h, "\n%d %s\n", size, name) }

func (p *packer) write(data []byte) error {
	p.sum.Write(data) // never fails
	p.done += int64(len(data))
	p.o.progress("writing", p.done, p.c.Bytes)
	_, err := p.tar.Write(data)
	return err
}
