//go:build !unix

package keyfile

import (
	"io/fs"
	"os"
)

const canLock = false

func isPrivate(fs.FileInfo) bool { return true } // the folder of a user is not for others

func sameOwner(_, _ fs.FileInfo) bool { return true }

// tryLock opens a file, without a lock.
func tryLock(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDWR, 0) }

func isLocked(*os.File) bool { return false }
