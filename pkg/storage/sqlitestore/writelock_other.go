//go:build !unix

package sqlitestore

import "time"

// writeLock relies on SQLite's lock on this system, which is correct but not fair between processes.
type writeLock struct{}

func openWriteLock(string) (*writeLock, error) { return &writeLock{}, nil }
func (*writeLock) acquire(time.Duration) bool  { return true }
func (*writeLock) release()                    {}
func (*writeLock) close()                      {}

// holdBodies does nothing on this system. A backup fails with an error when a blob is deleted during it.
func holdBodies(string) (release func(), err error) { return func() {}, nil }

func (*bodies) held() bool { return false }

// syncDir does nothing, because this system cannot sync folders and its file system orders names itself.
func syncDir(string) error { return nil }
