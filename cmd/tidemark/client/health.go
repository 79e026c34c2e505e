package client

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const healthLong = `Check whether a server and everything it depends on can work. The exit code is 0 if
they can. It is 1 if they cannot, or if there is no answer within ten seconds. Use it
as a healthcheck for containers and monitors. It needs no key.`

func healthCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Check whether the server can work",
		Long:    healthLong,
		Example: "  tidemark health\n  tidemark health --server https://tidemark.example",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), 10*time.Second)
			defer cancel()
			h, err := api.GetHealth.Call(ctx, s.Client(), api.None{})
			if err != nil {
				return err
			}
			t.Say("%s: storage %s, index %s", h.Status, h.Storage, h.Index)
			for _, warning := range h.Warnings {
				t.Say("%s", warning)
			}
			if !h.Works() {
				return command.ErrReported
			}
			return nil
		},
	}
}
