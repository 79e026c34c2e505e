package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/handlers/agent"
	"github.com/tidemark/tidemark/pkg/app"
)

const mcpLong = `Serve the Model Context Protocol on standard input and output, for programs that
start their tools themselves, such as desktop assistants and editors. The tools ask
the server of --server, with the key of --key. Programs that use HTTP do not need
this command: the server has the same tools at /api/mcp.`

func mcpCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Give language models the tools of a server, over standard input and output",
		Long:  mcpLong,
		Example: `  tidemark mcp
  tidemark mcp --server https://tide.example --key "$KEY"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveTools(cmd.Context(), t, s) },
	}
}

// serveTools answers requests from standard input until the client closes it.
func serveTools(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	server := agent.New(agent.Options{Client: s.Silent(), Version: app.Version,
		IDs: func(address string) ([]string, error) {
			ids, _, err := idsOf(s, address)
			return ids, err
		}})
	return server.Run(ctx, agent.Piped(t.In, t.Out))
}
