// Package client has the commands that send requests to a server. Each command sends the requests of one task and
// prints the answers for people. With --json, it prints the answers as they were received.
package client

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/handlers/agent"
	"github.com/tidemark/tidemark/pkg/app"
)

// Commands returns all commands that send requests to a server. The user is the name of the person at this terminal,
// which is stored with the runs that the person starts.
func Commands(t *terminal.Terminal, s *command.Server, user string) []*cobra.Command {
	commands := []*cobra.Command{backfillCommand(t, s, user)}
	for _, of := range []func(*terminal.Terminal, *command.Server) *cobra.Command{
		acceptCommand, addCommand, addFileCommand, auditCommand, bulkCommand, changesCommand, channelsCommand,
		deliveriesCommand, diffCommand, enrichCommand, entryCommand, failuresCommand, fieldsCommand,
		generationsCommand, healthCommand, importCommand, itemsCommand, mcpCommand, memoryCommand, migrateCommand,
		offersCommand, pickCommand, rebuildCommand, reindexCommand, removeCommand, retrieveCommand, rulesCommand,
		searchCommand, showCommand, sitesCommand, statusCommand, syncCommand, tagCommand, textCommand, undoCommand,
		warcCommand, watchCommand, whyCommand,
	} {
		commands = append(commands, of(t, s))
	}
	return commands
}

const mcpHelp = `mcp
Give language models the tools of a server, over standard input and output

Serve the Model Context Protocol on standard input and output, for programs that
start their tools themselves, such as desktop assistants and editors. The tools ask
the server of --server, with the key of --key. Programs that use HTTP do not need
this command: the server has the same tools at /api/mcp.

  tidemark mcp
  tidemark mcp --server https://tide.example --key "$KEY"`

func mcpCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(mcpHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		ids := func(address string) ([]string, error) {
			ids, _, err := idsOf(s, address)
			return ids, err
		}
		server := agent.New(agent.Options{Client: s.Silent(), Version: app.Version, IDs: ids})
		return server.Run(ctx, agent.Piped(t.In, t.Out)) // until the client closes standard input
	})
}
