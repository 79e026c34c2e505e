//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// holdFile locks a file, which it makes, until it is closed; errHeld when another does. Children
// do not inherit it.
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

// syncFolder makes the names in a folder stand when the power goes.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
