package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

var _ storage.Store = (*Store)(nil)

// Store is an account in a folder. It is safe for concurrent use, and several processes may use the folder at once.
type Store struct {
	dir     string
	file    *sqlitefile.File // the database file
	now     func() time.Time
	log     *slog.Logger
	maxBlob int64
	readers *sql.DB
	read    *sqlitefile.Statements // statements of the readers
	w       *writer
	bodies  bodies
	opened  time.Time // by the clock of the file system
	gates   sync.Map  // maps a kind and a name to a *gate
	close   func() error
	closed  atomic.Bool
}

// Options configure a store. The zero value works.
type Options struct {
	// Now is the clock that decides when messages are visible. If it is nil, time.Now is used. The clocks of
	// processes that share a folder must agree.
	Now func() time.Time
	// Log receives reports of damage and of leftovers of a crash. If it is nil, they are discarded.
	Log *slog.Logger
	// MaxBlobBytes limits the size of blobs that are written or read. Zero means storage.MaxBlobBytes.
	MaxBlobBytes int64
}

// Open opens the store in dir, and creates dir if it is missing. Errors: Invalid if the database in dir belongs to
// another program or to another version of this one (dir is then unchanged); Unavailable for a damaged file, a folder
// that cannot be written, a full disk, or another process that holds the database's lock longer than 30 s. The error
// names the file and says what to do.
func Open(dir string, o Options) (*Store, error) {
	s := newStore(dir, o)
	if err := s.open(); err != nil {
		return nil, s.kinded(context.Background(), err)
	}
	return s, nil
}

func newStore(dir string, o Options) *Store {
	s := &Store{
		dir: dir, file: databaseAt(filepath.Join(dir, "state.db")),
		now: o.Now, log: o.Log, maxBlob: o.MaxBlobBytes,
		bodies: bodies{root: filepath.Join(dir, "blobs")},
	}
	defaults.Clock(&s.now)
	defaults.Log(&s.log)
	s.maxBlob = cmp.Or(s.maxBlob, storage.MaxBlobBytes)
	s.close = sync.OnceValue(func() error { return nil })
	return s
}

func (s *Store) open() error {
	if err := s.bodies.prepare(); err != nil {
		return err
	}
	l, err := openWriteLock(s.dir)
	if err != nil {
		return err
	}
	alone := l.use()
	if s.opened, err = fileTime(s.bodies.pendingFolder()); err != nil {
		alone = false // on a full disk; what was lost is removed later
	}
	if s.w, err = s.openWriter(l); err != nil {
		l.close()
		return err
	}
	if s.readers, err = s.file.Readers(readers); err != nil {
		s.w.db.Close()
		l.close()
		return err
	}
	s.read = sqlitefile.NewStatements(s.readers)
	go s.w.run()
	ctx, cancel := context.WithCancel(context.Background())
	var sweep sync.WaitGroup
	sweep.Go(func() { sweepLeftovers(ctx, s, alone) })
	s.close = sync.OnceValue(func() error {
		cancel()
		sweep.Wait()
		return s.shut()
	})
	return nil
}

// openWriter opens the connection that writes, and creates the tables of a new file. It holds the write lock
// meanwhile: SQLite does not always wait if two processes create one file at the same moment, and they would disturb
// each other.
func (s *Store) openWriter(t *writeLock) (*writer, error) {
	ctx := context.Background()
	if !t.acquire(busyLimit) {
		return nil, s.file.Busy(errors.New("waiting to open it"))
	}
	defer t.release()
	db, err := s.file.Writer()
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = s.prepare(ctx, conn)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return &writer{
		s: s, db: db, conn: conn, lock: t, group: maxGroup,
		jobs: make(chan *job), quit: make(chan struct{}), idle: make(chan struct{}),
		quiet: quietTime, tx: &tx{stmts: sqlitefile.NewStatements(conn)},
		held: heldWrites{timer: stopped(), limit: storage.MaxHeldTime},
	}, nil
}

func (s *Store) prepare(ctx context.Context, conn *sql.Conn) error {
	empty, err := s.file.Inspect(ctx, conn)
	if err != nil || !empty {
		return err
	}
	if err := s.file.Create(ctx, conn); err != nil {
		return err
	}
	return syncDir(s.dir) // SQLite syncs the file but not its name
}

// shut ends the writer first. Writes that have begun are finished, and waiting writes are refused.
func (s *Store) shut() error {
	s.closed.Store(true)
	close(s.w.quit)
	<-s.w.idle
	// The last connection that is closed copies SQLite's log into the database, but only after its statements are
	// closed.
	err := errors.Join(s.w.held.err, s.read.Close(), s.readers.Close(), s.w.tx.stmts.Close(), s.w.conn.Close(),
		s.w.db.Close())
	s.w.lock.close()
	return err
}

func (s *Store) isClosed() bool { return s.closed.Load() }

// Close finishes the writes that have begun and releases the folder. Later calls are Unavailable.
func (s *Store) Close() error { return s.close() }

// Ping reads a row. It also checks that the database file still exists, because reads from an open file succeed even
// after the file was removed. If a write has failed because the disk was full or could not be written, Ping also
// tries to write.
func (s *Store) Ping(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(s.file.Path); err != nil {
		return s.file.Health.Failed(fault.New(fault.Unavailable,
			"the store's file is gone; stop the program and put the file back (%w)", err))
	}
	var n int64
	if err := s.kinded(ctx, s.read.Row(ctx, "SELECT n FROM counter", nil, &n)); err != nil {
		return err
	}
	return s.file.Health.Check(s.now(), func() error { return s.tryWrite(ctx) })
}

// tryFile and tryRow are the sizes of Ping's own writes. They are large because a full disk often still has room for
// smaller ones.
const tryFile, tryRow = 1 << 20, 1 << 16

// tryWrite writes a row and a file that fit only if there is room, and removes both. The row is in table 0, which no
// table uses. If the program dies in between, the next call of tryWrite removes the row.
func (s *Store) tryWrite(ctx context.Context) error {
	if err := s.kinded(ctx, s.bodies.tryWrite(tryFile)); err != nil {
		return err
	}
	for _, statement := range []string{
		"INSERT OR REPLACE INTO rows (tbl, part, row, rev, props) VALUES (0, '', '', 0, zeroblob(?))",
		"DELETE FROM rows WHERE tbl = 0 AND length(props) = ?",
	} {
		err := s.write(ctx, func(t *tx) error {
			_, err := t.exec(statement, tryRow)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Table opens a table. Names that differ only in case refer to the same table, as in Azure.
func (s *Store) Table(name string) storage.Table {
	return &table{s.gate("table", strings.ToLower(name), storage.CheckTableName(name))}
}

// Queue opens a queue.
func (s *Store) Queue(name string) storage.Queue {
	return &queue{s.gate("queue", name, storage.CheckQueueName(name))}
}

// Container opens a container.
func (s *Store) Container(name string) storage.Container {
	return &container{s.gate("container", name, storage.CheckContainerName(name))}
}

// gate is the common part of a table, a queue and a container: its name, and its number in the rows. The number is 0
// until the object is known to exist. Objects are never deleted.
type gate struct {
	s          *Store
	kind, name string
	bad        error // the error if the name is not allowed
	id         atomic.Int64
}

func (s *Store) gate(kind, name string, bad error) *gate {
	g := &gate{s: s, kind: kind, name: name, bad: bad}
	if bad != nil {
		return g // not kept in the map, so that names from unknown sources do not fill it
	}
	known, _ := s.gates.LoadOrStore(kind+" "+name, g)
	return known.(*gate)
}

// Create creates the table, queue or container.
func (g *gate) Create(ctx context.Context) error {
	if g.bad != nil {
		return g.bad
	}
	if err := ended(ctx); err != nil || g.id.Load() != 0 {
		return err
	}
	var id int64
	err := g.s.write(ctx, func(t *tx) error {
		if _, err := t.exec("INSERT INTO created (kind, name) VALUES (?, ?) ON CONFLICT DO NOTHING", g.kind,
			g.name); err != nil {
			return err
		}
		return t.row("SELECT id FROM created WHERE kind = ? AND name = ?", []any{g.kind, g.name}, &id)
	})
	if err == nil {
		g.id.Store(id)
	}
	return err
}

// ready returns the number of the table, queue or container. It returns Unavailable if no process has created the
// object yet.
func (g *gate) ready(ctx context.Context) (id int64, err error) {
	if g.bad != nil {
		return 0, g.bad
	}
	if err := ended(ctx); err != nil {
		return 0, err
	}
	if g.s.isClosed() {
		return 0, errClosed()
	}
	if id = g.id.Load(); id != 0 {
		return id, nil
	}
	err = g.s.read.Row(ctx, "SELECT id FROM created WHERE kind = ? AND name = ?", []any{g.kind, g.name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New(fault.Unavailable, "%s %s was never created", g.kind, g.name)
	}
	if err != nil {
		return 0, g.s.kinded(ctx, err)
	}
	g.id.Store(id)
	return id, nil
}

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
