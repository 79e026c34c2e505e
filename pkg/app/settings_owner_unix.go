//go:build unix

package app

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of another, which this process may not be.
func keepOwner(name string, of fs.FileInfo) error {
	was, known := of.Sys().(*syscall.Stat_t)
	now, err := os.Stat(name)
	if err != nil || !known {
		return err
	}
	if is, known := now.Sys().(*syscall.Stat_t); known && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return os.Chown(name, int(was.Uid), int(was.Gid))
}
