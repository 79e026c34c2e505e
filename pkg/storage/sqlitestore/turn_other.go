//go:build !unix

package sqlitestore

import "time"

// turn is left to SQLite's lock here, which is correct but not fair between processes.
type turn struct{}

func openTurn(string) (*turn, error)  { return &turn{}, nil }
func (*turn) take(time.Duration) bool { return true }
func (*turn) release()                {}
func (*turn) close()                  {}

// holdBodies holds nothing here: a backup beside which a blob is deleted fails, and says so.
func holdBodies(string) (release func(), err error) { return func() {}, nil }

func (*bodies) held() bool { return false }

// syncDir does nothing: folders cannot be synced here, and the file system orders names itself.
func syncDir(string) error { return nil }
