package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidemark/tidemark/pkg/app"
)

// Kinds of storage that the app runs on; the values of STORAGE.
const (
	embedded   = app.Embedded // files below the data folder
	ownAzurite = "azurite"    // started by us, its files below the data folder
	account    = "account"    // what AzureWebJobsStorage names
)

// storageKind decides by the environment: what STORAGE says, else the account that is named, else
// the embedded store.
func storageKind(p *program) (string, error) {
	switch s := p.getenv("STORAGE"); s {
	case embedded, ownAzurite, account:
		return s, nil
	case "":
	default:
		return "", usagef("STORAGE is %q: allowed are embedded (the default), azurite, and account for what "+
			"AzureWebJobsStorage names", s)
	}
	for _, name := range []string{"AzureWebJobsStorage", "AzureWebJobsStorage__accountName",
		"AzureWebJobsStorage__tableServiceUri"} {
		if strings.TrimSpace(p.getenv(name)) != "" {
			return account, nil
		}
	}
	return embedded, nil
}

// storageOf decides like [storageKind] for a command that wants the state that a data folder
// has. When it has only Azurite's and nobody chose, it asks: an empty store would look like a loss.
func storageOf(p *program, data string) (string, error) {
	kind, err := storageKind(p)
	if err == nil && kind == embedded {
		err = interruptedRestore(data)
	}
	if err != nil || kind != embedded || p.getenv("STORAGE") != "" || !hasAzurite(data) {
		return kind, err
	}
	if !hasEmbedded(data) {
		return "", undecided(p, data)
	}
	p.note("%s holds state too; it is not used (STORAGE=azurite uses it; once it was moved, delete it)",
		azuriteFolder(data))
	return kind, nil
}

// undecided says how to go on with a folder that has the state of Azurite alone.
func undecided(p *program, data string) error {
	return fmt.Errorf(`%[1]s holds state of Azurite, and the default is now the embedded store, which is empty
to go on with Azurite, set STORAGE=azurite
to begin anew beside it, set STORAGE=embedded
to move the state into the embedded store, run
STORAGE=azurite %[2]s export --data %[3]s moved-state
STORAGE=embedded %[2]s import-state --data %[3]s moved-state`, azuriteFolder(data), p.name(), quote(data))
}

func azuriteFolder(data string) string { return filepath.Join(data, "azurite") }

// hasAzurite reports whether an Azurite has ever kept tables in a data folder.
func hasAzurite(data string) bool {
	return exists(filepath.Join(azuriteFolder(data), "__azurite_db_table__.json"))
}

// hasEmbedded reports whether an embedded store has been made in a data folder.
func hasEmbedded(data string) bool { return exists(app.StoreFolder(data)) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
