package sqlitestore

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxWindow limits the memory of the decoder, in bytes, because a backup may come from an unknown source.
const maxWindow = 64 << 20

// Restore makes a store in dir from a backup and verifies it. It checks the digest of the whole, the structure of the
// database, and the body, size and checksum of each blob. The folder dir must not exist. If dir is "", Restore only
// verifies the backup and keeps nothing. Restore needs memory for one body. Errors: Invalid for a backup that is
// truncated, damaged, of another format or of a later version. After an error, dir may contain an incomplete store,
// which can be removed.
func Restore(ctx context.Context, r io.Reader, dir string, o BackupOptions) (c Contents, err error) {
	defer fault.Wrap(&err, "backup")
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return c, err
	}
	defer z.Close()
	u := &unpacker{tar: tar.NewReader(z), sum: sha256.New(), o: o, path: o.Scratch}
	if dir == "" {
		defer os.Remove(o.Scratch)
	} else {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return c, err
		}
		u.path, u.bodies = filepath.Join(dir, stateName), &bodies{root: filepath.Join(dir, "blobs")}
		if err := u.bodies.prepare(); err != nil {
			return c, err
		}
	}
	if err := u.unpack(ctx); err != nil {
		return u.c, u.kinded(ctx, err)
	}
	if dir == "" {
		return u.c, nil
	}
	return u.c, errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

// kinded distinguishes faults of the backup from faults of this machine. An error from a reader has no kind, and
// means that the data are not a valid backup.
func (u *unpacker) kinded(ctx context.Context, err error) error {
	if sqlitefile.IsDamage(err) {
		return damagedBackup(err)
	}
	if err = newStore(filepath.Dir(u.path), Options{}).kinded(ctx, err); fault.KindOf(err) == fault.Internal {
		return damagedBackup(err)
	}
	return err
}

func damagedBackup(err error) error {
	return fault.New(fault.Invalid, "it is damaged, cut off or no backup of Tidemark: %w", err)
}

// unpacker reads the entries of a backup, whose order is fixed.
type unpacker struct {
	tar    *tar.Reader
	sum    hash.Hash
	o      BackupOptions
	c      Contents
	path   string  // path of the database
	bodies *bodies // nil if the backup is only verified
	last   string  // the file of the last body that was read
	done   int64
}

func (u *unpacker) unpack(ctx context.Context) error {
	if err := u.header(); err != nil {
		return err
	}
	if err := u.state(ctx); err != nil {
		return err
	}
	var mode []string
	if u.bodies != nil {
		mode = []string{"journal_mode(WAL)"} // set for new files here, because SQLite's copies have another mode
	}
	db, err := databaseAt(u.path).Writer(mode...)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := u.checkState(ctx, db); err != nil {
		return err
	}
	have := 0
	for {
		h, err := u.next()
		if err != nil {
			return err
		}
		if h.Name == digestName {
			break
		}
		if err := u.body(ctx, db, h); err != nil {
			return err
		}
		have++
	}
	var want int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM blobs WHERE body IS NULL").Scan(&want); err != nil {
		return err
	}
	if have != want {
		return fault.New(fault.Invalid, "it has %d bodies of blobs, its rows name %d", have, want)
	}
	return u.end()
}

// next reads the header of an entry. It adds the header to the digest, unless the entry is the digest itself.
func (u *unpacker) next() (*tar.Header, error) {
	h, err := u.tar.Next()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if h.Typeflag != tar.TypeReg || h.Size < 0 {
		return nil, fault.New(fault.Invalid, "entry %q is no file", h.Name)
	}
	if h.Name != digestName {
		sumEntry(u.sum, h.Name, h.Size)
	}
	return h, nil
}

func (u *unpacker) header() error {
	h, err := u.next()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(u.tar, 1<<16))
	if err != nil {
		return err
	}
	u.sum.Write(text)
	if h.Name != headerName || json.Unmarshal(text, &u.c) != nil || u.c.Format != backupFormat {
		return fault.New(fault.Invalid, "it is no backup of Tidemark")
	}
	if u.c.Version != backupVersion || u.c.Schema > format.Version {
		return fault.New(fault.Invalid, "it has version %d.%d, made by %q; this program knows %d.%d: restore it with the "+
			"program that made it, or a later one", u.c.Version, u.c.Schema, u.c.MadeBy, backupVersion, format.Version)
	}
	return nil
}

// state writes the database from its entry in the backup.
func (u *unpacker) state(ctx context.Context) error {
	h, err := u.next()
	if err != nil {
		return err
	}
	if h.Name != stateName {
		return fault.New(fault.Invalid, "entry %q stands where %s belongs", h.Name, stateName)
	}
	begin, err := u.stateHead(h.Size)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(u.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	u.took(begin)
	_, err = f.Write(begin)
	buf := make([]byte, 1<<20)
	for err == nil {
		var n int
		n, err = u.tar.Read(buf)
		u.took(buf[:n])
		if _, writeErr := f.Write(buf[:n]); writeErr != nil {
			err = writeErr
		} else if err == nil {
			err = ctx.Err()
		}
	}
	if err == io.EOF {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// stateHead reads the head of the database and returns it. It returns an error, before anything is written, if the size
// of the entry is not that of the database, or more than the description of the backup or the disk has room for.
func (u *unpacker) stateHead(size int64) ([]byte, error) {
	if size > u.c.Bytes {
		return nil, fault.New(fault.Invalid, "its database has %d bytes, and the whole should have %d", size, u.c.Bytes)
	}
	head := make([]byte, min(size, sqlitefile.HeadBytes))
	if _, err := io.ReadFull(u.tar, head); err != nil {
		return nil, err
	}
	if want := sqlitefile.SizeOf(head); want != size {
		return nil, fault.New(fault.Invalid, "its database has %d bytes, and its head says %d", size, want)
	}
	need := size
	if u.bodies != nil {
		need = u.c.Bytes
	}
	if room, err := sqlitefile.RoomOf(filepath.Dir(u.path)); err == nil && room.Bytes < need {
		return nil, fault.New(fault.TooLarge, "it needs %d bytes, and %s has room for %d", need, filepath.Dir(u.path),
			room.Bytes)
	}
	return head, nil
}

func (u *unpacker) took(data []byte) {
	u.sum.Write(data)
	u.done += int64(len(data))
	u.o.progress("reading", u.done, u.c.Bytes)
}

// checkState returns an error if the database is not a store or is damaged.
func (u *unpacker) checkState(ctx context.Context, db *sql.DB) error {
	if empty, err := databaseAt(u.path).Inspect(ctx, db); err != nil || empty {
		return errors.Join(err, fault.New(fault.Invalid, "its database is none"))
	}
	const strange = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')"
	var foreign int
	err := db.QueryRowContext(ctx, strange).Scan(&foreign)
	if err != nil || foreign > 0 {
		return errors.Join(err, fault.New(fault.Invalid, "its database has triggers or views, which ours have not"))
	}
	damage, err := sqlitefile.Integrity(ctx, db, 1)
	if err == nil && len(damage) > 0 {
		err = fault.New(fault.Invalid, "the database is damaged: %s", damage[0])
	}
	return err
}

// body compares a body with the row that refers to it, and writes the body to the file in which the store expects it.
func (u *unpacker) body(ctx context.Context, db *sql.DB, h *tar.Header) error {
	container, file, ok := strings.Cut(strings.TrimPrefix(h.Name, "blobs/"), "/")
	if !ok || storage.CheckContainerName(container) != nil || !isFileName(file) ||
		bodyEntry(container, file) != h.Name || file <= u.last {
		return fault.New(fault.Invalid, "entry %q is none of a backup", h.Name)
	}
	u.last = file
	var blob string
	var size, sum int64
	err := db.QueryRowContext(ctx, bodiesQuery+" AND c.name = ? AND b.file = ?", container, file).
		Scan(&container, &blob, &file, &size, &sum)
	if err != nil {
		return fault.New(fault.Invalid, "no row names %q: %w", h.Name, err)
	}
	if u.done+size > u.c.Bytes {
		return fault.New(fault.Invalid, "it has more than the %d bytes that it should have", u.c.Bytes)
	}
	if size != h.Size || size > storage.MaxBlobBytes {
		return fault.New(fault.Invalid, "%q has %d bytes, its row says %d", h.Name, h.Size, size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(u.tar, data); err != nil {
		return err
	}
	u.took(data)
	if int64(crc32.Checksum(data, checksums)) != sum {
		return fault.New(fault.Invalid, "%q: %w", h.Name, errDamagedBody)
	}
	if u.bodies == nil {
		return nil
	}
	f := u.bodies.body(container, file)
	if err := u.bodies.makeDir(filepath.Dir(f.path)); err != nil {
		return err
	}
	return writeSynced(f.path, data)
}

// isFileName reports whether a name is a valid file name of a body; see [fileName].
func isFileName(name string) bool {
	return len(name) > 2 && strings.Trim(name, "0123456789abcdefABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}

// end compares the digest. It returns an error if the backup continues after the digest.
func (u *unpacker) end() error {
	text, err := io.ReadAll(io.LimitReader(u.tar, 1<<10))
	if err != nil {
		return err
	}
	if string(text) != hex.EncodeToString(u.sum.Sum(nil)) {
		return fault.New(fault.Invalid, "its digest is another than that of what it holds")
	}
	if _, err := u.tar.Next(); err != io.EOF {
		return errors.Join(err, fault.New(fault.Invalid, "something stands behind its digest"))
	}
	return nil
}

// busyLimit limits the time that a call waits for other processes.
const busyLimit = 30 * time.Second

// readers limits the number of reads that run at once. More would not be faster, because the CPU limits reads.
const readers = 4

// databaseAt describes the database file of a store.
func databaseAt(path string) *sqlitefile.File {
	dir := filepath.Dir(path)
	return &sqlitefile.File{
		Path: path, Format: &format, Wait: busyLimit,
		Pragmas: []string{"synchronous(FULL)", "foreign_keys(0)"},
		Name:    "store in " + dir,
		Repair:  "stop the program, keep a copy of " + dir + ", and restore a backup or repair it with sqlite3's .recover",
	}
}

// format is the format of state.db. The program refuses unknown versions: the file is the only copy of the state, so
// it must not be misread.
var format = sqlitefile.Format{
	ApplicationID: 0x54445354, // "TDST"
	Version:       2,
	Schema: `
CREATE TABLE created (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL, name TEXT NOT NULL,
	UNIQUE (kind, name)
);
CREATE TABLE counter (n INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE rows (
	tbl INTEGER NOT NULL, part TEXT NOT NULL, row TEXT NOT NULL,
	rev INTEGER NOT NULL, props BLOB NOT NULL,
	PRIMARY KEY (tbl, part, row)
) WITHOUT ROWID;
CREATE TABLE messages (
	id INTEGER PRIMARY KEY,
	queue INTEGER NOT NULL, visible INTEGER NOT NULL,
	receipt INTEGER NOT NULL, dequeued INTEGER NOT NULL, inserted INTEGER NOT NULL,
	body BLOB NOT NULL
);
CREATE INDEX schedule ON messages (queue, visible, id);
CREATE TABLE blobs (
	container INTEGER NOT NULL, name TEXT NOT NULL,
	file TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, sum INTEGER NOT NULL,
	type TEXT NOT NULL, metadata BLOB NOT NULL, body BLOB,
	UNIQUE (container, name)
);
`,
	Roots: []string{
		"SELECT n FROM counter", "SELECT max(id) FROM created", "SELECT min(tbl) FROM rows",
		"SELECT min(id) FROM messages", "SELECT min(visible) FROM messages WHERE queue = 0",
		"SELECT min(container) FROM blobs", "SELECT count(*) FROM blobs WHERE file = ''",
	},
	Other: "run the program that wrote it, or choose another folder",
}
