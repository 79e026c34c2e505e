package client

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const deliveriesHelp = `deliveries
List messages to receivers, and send them again

List the messages to receivers: first the waiting ones, then the others, the newest
first. Each is tried for a day, and kept for 30 days.

  tidemark deliveries --state failed
  tidemark deliveries retry ID`

const retryHelp = `retry ID
Send a message again

  tidemark deliveries retry ID`

func deliveriesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.DeliveryQuery
	cmd := command.New(deliveriesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListDeliveries.Call(ctx, s.Client(), q)
		if err != nil {
			return err
		}
		return terminal.List(t, got.Deliveries, "no messages", "STATE\tMADE\tTO\tTRIES\tWHAT\tANSWER\tID",
			func(d api.Delivery) string {
				return terminal.Row(d.State, terminal.Minute(d.Created), d.Channel, fmt.Sprint(d.Attempts), d.Title,
					answerText(d.Answer), d.ID)
			})
	})
	f := cmd.Flags()
	f.StringVar(&q.State, "state", "", "only waiting, sent or failed")
	f.StringVar(&q.Rule, "rule", "", "only messages of the rule with this id")
	f.StringVar(&q.Channel, "channel", "", "only messages to this channel")
	f.IntVar(&q.Top, "top", 50, "how many, 1 to 500")
	cmd.AddCommand(asked(s, retryHelp, command.One("id"), api.RetryDelivery, func(d api.Delivery) {
		t.Say("%s is sent to %s again", terminal.Clean(d.Title), terminal.Clean(d.Channel))
	}))
	return cmd
}

// answerText describes the answer of a receiver in one line.
func answerText(a api.ReceiverAnswer) string {
	return terminal.Join(" ", a.Error, terminal.When(a.Status != 0, "%d", a.Status), a.Body)
}
