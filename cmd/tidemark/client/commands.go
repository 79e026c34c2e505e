// Package client is the commands that ask a server. Each sends the requests of one task, and writes the answers for
// people; with --json the answers themselves are the output.
package client

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// Commands are all commands that ask a server. The user is the one at this terminal, for the record of runs.
func Commands(t *terminal.Terminal, s *command.Server, user string) []*cobra.Command {
	commands := []*cobra.Command{backfillCommand(t, s, user)}
	for _, of := range []func(*terminal.Terminal, *command.Server) *cobra.Command{
		addCommand, addFileCommand, auditCommand, bulkCommand, changesCommand, channelsCommand, deliveriesCommand,
		diffCommand, enrichCommand, entryCommand, healthCommand, importCommand, itemsCommand, mcpCommand, migrateCommand,
		rebuildCommand, reindexCommand, removeCommand, retrieveCommand, rulesCommand, searchCommand, showCommand,
		sitesCommand, statusCommand, tagCommand, textCommand, warcCommand, watchCommand, whyCommand,
	} {
		commands = append(commands, of(t, s))
	}
	return commands
}
