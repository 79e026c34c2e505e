package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/handlers/agent"
	"github.com/tidemark/tidemark/pkg/app"
)

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
