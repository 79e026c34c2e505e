package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The locks of a data folder. They are two, so that an app may use the Azurite that
// "tidemark azurite" runs on the same folder.
const (
	azuriteLock = "lock"     // held by who runs Azurite
	appLock     = "app.lock" // held by who runs the app, whose index and log are there
)

// errHeld is why a lock is not to be had.
var errHeld = errors.New("held by another process")

// holdFolder takes locks of a data folder until release is called or this process ends, however
// it does: nothing has to be cleared away after a crash. Two Azurites on one folder would write
// over each other's files without a word.
func holdFolder(data string, locks ...string) (release func(), err error) {
	var held []*os.File
	release = func() {
		for _, f := range held {
			f.Close()
		}
	}
	for _, name := range locks {
		f, err := holdFile(filepath.Join(data, name))
		if err != nil {
			release()
			return nil, heldText(data, err)
		}
		held = append(held, f)
	}
	return release, nil
}

// heldText says what to do when a folder is in use.
func heldText(data string, err error) error {
	if errors.Is(err, errHeld) {
		return fmt.Errorf("the data folder %s is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder",
			data)
	}
	return fmt.Errorf("locking the data folder: %w", err)
}
