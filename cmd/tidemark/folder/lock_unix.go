//go:build unix

package folder

import (
	"errors"
	"os"
	"syscall"
)

// holdFile creates a file and locks it until the file is closed. It returns errHeld if another process has locked it.
// Child processes do not inherit the lock.
func holdFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	return nil, &os.PathError{Op: "flock", Path: name, Err: err}
}

// Sync writes the entries of a folder to the disk, so that they survive a loss of power.
func Sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
