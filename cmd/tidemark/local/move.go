package local

import (
	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// This file copies the state of Tidemark out of a store and into another. It makes backups of the embedded store
// while the store is in use, and exports of any store. It replaces data only after the new data was read and
// verified.

// MoveCommands returns backup, restore, export and import-state. The version is that of this program; backups record it.
func MoveCommands(t *terminal.Terminal, getenv func(string) string, version string) []*cobra.Command {
	return []*cobra.Command{
		backupCommand(t, getenv, version), restoreCommand(t, getenv), exportCommand(t, getenv), importStateCommand(t, getenv),
	}
}
