package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

const offersHelp = `offers ID|SOURCE
List what a page offers to be told of

List the prices, the availability, the lists and the numbers that a page shows, each
with what would be watched, and how often the page should be checked for it. The site
is not contacted.

  tidemark offers https://shop.example/lamp`

func offersCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(offersHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		out, err := onItem(ctx, s, args[0], func(id string) (api.PageOffers, error) {
			return api.ListOffers.Call(ctx, s.Client(), api.ItemID{ID: id})
		})
		if err == nil && !t.JSON {
			showOffers(t, out.Offers)
		}
		return err
	})
}

func showOffers(t *terminal.Terminal, offers []api.PageOffer) {
	t.SayWhen(len(offers) == 0, "the page shows no price, no availability, no list and no number with a name")
	for _, o := range offers {
		t.Say("%-6s  %s: %s%s", o.Kind, terminal.Clean(o.Name), terminal.Clean(o.Text),
			terminal.When(o.Entries > 0, " (%s)", words.Count(o.Entries, "entry")))
		t.Say("%8swatch: %s", "", inWords(watchOnly{&o.Watch}))
		when := condition.Text(o.When)
		t.Say("%8schecked every %s%s", "", terminal.Clean(o.Every),
			terminal.When(when != "", ", when %s", terminal.Clean(when)))
	}
}
