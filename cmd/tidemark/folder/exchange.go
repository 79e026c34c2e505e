package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/app"
)

// Rename renames a file so that its new name survives a loss of power.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return Sync(filepath.Dir(to))
}

// exchangeByHand exchanges two folders by renaming them. It is used on file systems that cannot do this in one step,
// and when the data folder has no store. If the process is killed between the steps, [interruptedRestore] finds the
// old store.
func exchangeByHand(fresh, used string) error {
	old := fresh + oldStore
	if err := os.Rename(used, old); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, used)
	} else if err != nil {
		return err
	}
	if err := os.Rename(fresh, used); err != nil {
		return errors.Join(err, os.Rename(old, used))
	}
	return os.Rename(old, fresh)
}

// oldStore is the suffix that the old store's name has during an exchange.
const oldStore = ".old"

// interruptedRestore returns an error that says how to finish a restore that was killed while the data folder had no
// store.
func interruptedRestore(data string) error {
	old, _ := filepath.Glob(filepath.Join(data, "replaced-*", "store"+oldStore))
	if len(old) == 0 || HasEmbedded(data) {
		return nil
	}
	return fmt.Errorf("a restore was killed halfway: move %s to %s for the store before it, or %s for the restored one",
		old[0], app.StoreFolder(data), filepath.Join(filepath.Dir(old[0]), "store"))
}
