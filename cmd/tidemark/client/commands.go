// Package client has the commands that send requests to a server. Each command sends the requests of one task and
// prints the answers for people. With --json, it prints the answers as they were received.
package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// asked returns a command that calls a route for what its argument names, and says what the answer is.
func asked[Q, A any](s *command.Server, help string, one cobra.PositionalArgs, route api.Route[Q, A],
	say func(A)) *cobra.Command {
	return command.New(help, one, func(ctx context.Context, args []string) error {
		answer, err := route.Call(ctx, s.Client(), route.Of(args[0]))
		if err == nil {
			say(answer)
		}
		return err
	})
}

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
