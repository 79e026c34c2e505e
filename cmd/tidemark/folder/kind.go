package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// Kinds of storage that the app runs on: the values of STORAGE.
const (
	Embedded = app.Embedded // files below the data folder
	Azurite  = "azurite"    // started by the command; its files are below the data folder
	Account  = "account"    // the storage account in AzureWebJobsStorage
)

// KindOf returns the kind of storage that the environment asks for: the value of STORAGE if that is set; if not, the
// account in AzureWebJobsStorage; and if that is not set either, the embedded store.
func KindOf(getenv func(string) string) (string, error) {
	switch s := getenv("STORAGE"); s {
	case Embedded, Azurite, Account:
		return s, nil
	case "":
	default:
		return "", command.Usagef("STORAGE is %q: allowed are embedded (the default), azurite, and account for what "+
			"AzureWebJobsStorage names", s)
	}
	for _, name := range []string{"AzureWebJobsStorage", "AzureWebJobsStorage__accountName",
		"AzureWebJobsStorage__tableServiceUri"} {
		if strings.TrimSpace(getenv(name)) != "" {
			return Account, nil
		}
	}
	return Embedded, nil
}

// KindIn does the same as [KindOf], for a command that needs the existing state of a data folder. If the folder has
// only Azurite's state and STORAGE is not set, KindIn returns an error that asks the user to choose: with an empty
// embedded store, the state would seem to be lost.
func KindIn(t *terminal.Terminal, getenv func(string) string, data string) (string, error) {
	kind, err := KindOf(getenv)
	if err == nil && kind == Embedded {
		err = interruptedRestore(data)
	}
	if err != nil || kind != Embedded || getenv("STORAGE") != "" || !hasAzurite(data) {
		return kind, err
	}
	if !HasEmbedded(data) {
		return "", undecided(t, data)
	}
	t.Note("%s holds state too; it is not used (STORAGE=azurite uses it; once it was moved, delete it)",
		azuriteIn(data))
	return kind, nil
}

// undecided returns an error that says what to do with a folder that has only the state of Azurite.
func undecided(t *terminal.Terminal, data string) error {
	return fmt.Errorf(`%[1]s holds state of Azurite, and the default is now the embedded store, which is empty
to go on with Azurite, set STORAGE=azurite
to begin anew beside it, set STORAGE=embedded
to move the state into the embedded store, run
STORAGE=azurite %[2]s export --data %[3]s moved-state
STORAGE=embedded %[2]s import-state --data %[3]s moved-state`, azuriteIn(data), t.Name, terminal.Quote(data))
}

// hasAzurite reports whether a data folder has tables of Azurite.
func hasAzurite(data string) bool {
	return Exists(filepath.Join(azuriteIn(data), "__azurite_db_table__.json"))
}

// HasEmbedded reports whether a data folder has an embedded store.
func HasEmbedded(data string) bool { return Exists(app.StoreFolder(data)) }

// Exists reports whether there is a file or folder with this name.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

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
