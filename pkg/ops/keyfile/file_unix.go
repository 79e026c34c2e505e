//go:build unix

package keyfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// canLock is false where no key is offered, because a command could not tell whether its server still runs.
const canLock = true

// isPrivate reports whether only its owner may read a file.
func isPrivate(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// sameOwner reports whether two files belong to one user.
func sameOwner(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, also := b.Sys().(*syscall.Stat_t)
	return ok && also && one.Uid == other.Uid
}

// tryLock locks a file until it is closed. It returns nil if another process has locked it.
func tryLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, &os.PathError{Op: "flock", Path: name, Err: err}
}

// isLocked reports whether a process has locked a file by tryLock.
func isLocked(f *os.File) bool {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
