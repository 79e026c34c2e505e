//go:build !unix

package sqlitestore

import "time"

// writeLock does nothing on this system. SQLite's own lock is enough for correctness, but it is not fair between
// processes.
type writeLock struct{}

func openWriteLock(string) (*writeLock, error) { return &writeLock{}, nil }
func (*writeLock) acquire(time.Duration) bool  { return true }
func (*writeLock) release()                    {}
func (*writeLock) use() (alone bool)           { return false }
func (*writeLock) close()                      {}

// wanted reports that another process may wait, so that no transaction is held open. Otherwise another process could
// write only in the short times between two transactions.
func (*writeLock) wanted() bool { return true }

// holdBodies does nothing on this system. If a blob is deleted during a backup, the backup fails with an error.
func holdBodies(string) (release func(), err error) { return func() {}, nil }

func (*bodies) held() bool { return false }

// syncDir does nothing. This system cannot sync folders, and its file system orders names itself.
func syncDir(string) error { return nil }
