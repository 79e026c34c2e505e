package client

import (
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const acceptLong = `Accept a page as it is now, although most of its text is missing.

A page that has lost most of its text is marked as collapsed, and searches find the
previous text until two more checks have found the same. This command accepts what the
next check finds, and requests that check now. It also ends a broken watch. A page that
is neither collapsed nor has a broken watch stays as it is.`

func acceptCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "accept ID|SOURCE",
		Short:   "Accept a page as it is now, although most of its text is missing",
		Long:    acceptLong,
		Example: "  tidemark accept https://example.com/news\n  tidemark accept url_k7gxn3…",
		Args:    command.One("id or source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			item, err := onItem(cmd.Context(), s, args[0], func(id string) (api.Item, error) {
				return api.AcceptItem.Call(cmd.Context(), s.Client(), api.ItemID{ID: id})
			})
			if err != nil {
				return err
			}
			name := sourceOf(item)
			if !item.Collapsed && !item.WatchBroken {
				t.Say("there is nothing to accept: %s has neither collapsed, nor is its watch broken", name)
				return nil
			}
			t.Say("%s is accepted as it is, and is checked now: %s", terminal.Clean(item.ID), name)
			return nil
		},
	}
}
