//go:build !unix

package sqlitestore

import "time"

// writeLock is left to SQLite's lock here, which is correct but not fair between processes.
type writeLock struct{}

func openWriteLock(string) (*writeLock, error) { return &writeLock{}, nil }
func (*writeLock) acquire(time.Duration) bool  { return true }
func (*writeLock) release()                    {}
func (*writeLock) close()                      {}

// holdBodies holds nothing here: a backup beside which a blob is deleted fails, and says so.
func holdBodies(string) (release func(), err error) { return func() {}, nil }

func (*bodies) held() bool { return false }

// syncDir does nothing: folders cannot be synced here, and the file system orders names itself.
func syncDir(string) error { return nil }
