package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The locks of a data folder. There are two, so that an app can use the Azurite that "tidemark azurite" runs on the
// same folder.
const (
	azuriteLock = "lock"     // held by the process that runs Azurite
	AppLock     = "app.lock" // held by the process that runs the app, whose index and log are in the folder
)

// errHeld is the error of a lock that another process holds.
var errHeld = errors.New("held by another process")

// Hold acquires locks of a data folder until release is called or this process ends. A crash leaves nothing to clean
// up.
func Hold(data string, locks ...string) (release func(), err error) {
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

// heldText says what to do when another process uses the folder.
func heldText(data string, err error) error {
	if errors.Is(err, errHeld) {
		return fmt.Errorf("the data folder %s is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder",
			data)
	}
	return fmt.Errorf("locking the data folder: %w", err)
}
