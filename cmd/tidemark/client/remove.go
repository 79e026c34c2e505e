package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const removeLong = `Remove sources from the index and the registry, with everything stored for them.

Name each by its id, or by the URL or path it was added with. The server answers at
once and removes the source within seconds, without asking its site. A source that is
added again later starts without a history.`

func removeCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID|SOURCE…",
		Short:   "Remove sources from the index and the registry",
		Long:    removeLong,
		Example: "  tidemark remove https://example.com/news\n  tidemark remove url_k7gxn3…",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("give an id or source")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := remove(cmd.Context(), t, s, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func remove(ctx context.Context, t *terminal.Terminal, s *command.Server, name string) error {
	item, err := onItem(ctx, s, name, func(id string) (api.Item, error) {
		return api.RemoveItem.Call(ctx, s.Client(),
			api.ItemID{ID: id})
	})
	if err != nil {
		return err
	}
	t.Say("%s is being removed: %s", terminal.Clean(item.ID), sourceOf(item))
	return nil
}
