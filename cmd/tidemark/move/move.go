// Package move takes the state of Tidemark out of a store and brings it into another: backups of the embedded store
// while it is in use, and exports of any store. Nothing is replaced before what replaces it was read and verified.
package move

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// Commands are backup, restore, export and import-state. The version is that of this program, for the record.
func Commands(t *terminal.Terminal, getenv func(string) string, version string) []*cobra.Command {
	return []*cobra.Command{
		backupCommand(t, getenv, version), restoreCommand(t, getenv), exportCommand(t, getenv), importStateCommand(t, getenv),
	}
}
