//go:build unix

package sqlitestore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// writeLock makes processes write one after another. A process that waits for SQLite's own lock polls the lock,
// eventually only every 100 ms. Meanwhile the process that holds the lock acquires it again at once. So a busy
// process would starve the others for seconds. The files lock.next and lock.now are fair locks. The process that is
// next in line holds lock.next while it waits for lock.now. The process that wrote last must queue for lock.next
// again. The kernel releases both locks when a process dies. Correctness depends on SQLite's lock alone; these locks
// only decide the order.
type writeLock struct{ next, now, open *os.File }

func openWriteLock(dir string) (*writeLock, error) {
	next, err := os.OpenFile(filepath.Join(dir, "lock.next"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	now, err := os.OpenFile(filepath.Join(dir, "lock.now"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		next.Close()
		return nil, err
	}
	open, err := os.OpenFile(filepath.Join(dir, "lock.open"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		next.Close()
		now.Close()
		return nil, err
	}
	return &writeLock{next, now, open}, nil
}

// use records that this process uses the folder, in the file lock.open, until close. It reports whether no other
// process did when it was called. Of two processes that open the folder at the same moment, none, one or both may be
// told so, because the kernel does not change one kind of lock into the other in one step.
func (t *writeLock) use() (alone bool) {
	alone = syscall.Flock(int(t.open.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	// Several may have the lock then. Nobody keeps it for itself for longer than this takes.
	for errors.Is(syscall.Flock(int(t.open.Fd()), syscall.LOCK_SH), syscall.EINTR) {
	}
	return alone
}

// wanted reports whether another process waits until this one, whose turn it is, releases its right.
func (t *writeLock) wanted() bool {
	if errors.Is(syscall.Flock(int(t.next.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return true
	}
	unlock(t.next)
	return false
}

// acquire waits for the right to write. It returns false if the time limit has passed.
func (t *writeLock) acquire(limit time.Duration) bool {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	if !lock(t.next, timeout.C) {
		return false
	}
	defer unlock(t.next)
	return lock(t.now, timeout.C)
}

func (t *writeLock) release() { unlock(t.now) }

func (t *writeLock) close() {
	t.next.Close()
	t.now.Close()
	t.open.Close()
}

// lock polls, because a blocking call cannot be cancelled. The pauses are shorter than a write. On a file system
// without locks of this kind, lock returns at once, and SQLite decides the order.
func lock(f *os.File, timeout <-chan time.Time) bool {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return true
		}
		select {
		case <-timeout:
			return false
		case <-time.After(pause):
		}
	}
}

func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// backupLock is the file that is locked while the store is backed up.
const backupLock = "lock.backup"

// holdBodies makes all processes keep the bodies of deleted blobs until release is called or this process ends. Only
// one process can hold the bodies at a time.
func holdBodies(dir string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, backupLock), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if !lock(f, time.After(time.Second)) { // longer than [bodies.held] holds the lock
		f.Close()
		return nil, fault.New(fault.Conflict, "%s: another backup of this store is under way", dir)
	}
	return func() { f.Close() }, nil
}

// held reports whether a backup may still need the body of a blob whose row was deleted. A backup that begins after
// the deletion does not need this body.
func (b *bodies) held() bool {
	f, err := os.Open(filepath.Join(filepath.Dir(b.root), backupLock))
	if err != nil {
		return false // there has never been a backup
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
