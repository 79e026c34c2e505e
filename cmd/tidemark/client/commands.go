// Package client has the commands that send requests to a server. Each command sends the requests of one task and
// prints the answers for people. With --json, it prints the answers as they were received.
package client

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// Commands returns all commands that send requests to a server. The user is the name of the person at this terminal,
// which is stored with the runs that the person starts.
func Commands(t *terminal.Terminal, s *command.Server, user string) []*cobra.Command {
	commands := []*cobra.Command{backfillCommand(t, s, user)}
	for _, of := range []func(*terminal.Terminal, *command.Server) *cobra.Command{
		acceptCommand, addCommand, addFileCommand, auditCommand, bulkCommand, changesCommand,
		channelsCommand, deliveriesCommand, diffCommand, enrichCommand, entryCommand, fieldsCommand,
		healthCommand, importCommand, itemsCommand, mcpCommand, migrateCommand, pickCommand, rebuildCommand,
		reindexCommand, removeCommand, retrieveCommand, rulesCommand, searchCommand, showCommand,
		sitesCommand, statusCommand, tagCommand, textCommand, warcCommand, watchCommand, whyCommand,
	} {
		commands = append(commands, of(t, s))
	}
	return commands
}
