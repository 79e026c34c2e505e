package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

const deliveriesExample = `  tidemark deliveries --state failed
  tidemark deliveries retry ID`

const deliveriesLong = `List the messages to receivers: first the waiting ones, then the others, the newest
first. Each is tried for a day, and kept for 30 days.`

func deliveriesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.DeliveryQuery
	cmd := &cobra.Command{
		Use: "deliveries", Short: "List messages to receivers, and send them again", Long: deliveriesLong,
		Example: deliveriesExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listDeliveries(cmd.Context(), t, s, q) },
	}
	f := cmd.Flags()
	f.StringVar(&q.State, "state", "", "only waiting, sent or failed")
	f.StringVar(&q.Rule, "rule", "", "only messages of the rule with this id")
	f.StringVar(&q.Channel, "channel", "", "only messages to this channel")
	f.IntVar(&q.Top, "top", 50, "how many, 1 to 500")
	cmd.AddCommand(&cobra.Command{Use: "retry ID", Short: "Send a message again", Args: command.One("id"),
		Example: "  tidemark deliveries retry ID",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := api.RetryDelivery.Call(cmd.Context(), s.Client(), api.DeliveryID{ID: args[0]})
			if err == nil && !t.JSON {
				t.Say("%s is sent to %s again", terminal.Clean(d.Title), terminal.Clean(d.Channel))
			}
			return err
		}})
	return cmd
}

func listDeliveries(ctx context.Context, t *terminal.Terminal, s *command.Server, q api.DeliveryQuery) error {
	got, err := api.ListDeliveries.Call(ctx, s.Client(), q)
	switch {
	case err != nil || t.JSON:
		return err
	case len(got.Deliveries) == 0:
		t.Say("no messages")
		return nil
	}
	rows := []string{"STATE\tMADE\tTO\tTRIES\tWHAT\tANSWER\tID"}
	for _, d := range got.Deliveries {
		rows = append(rows, terminal.Row(d.State, terminal.Minute(d.Created), d.Channel, fmt.Sprint(d.Attempts), d.Title,
			answerText(d.Answer), d.ID))
	}
	return terminal.Table(t.Out, rows...)
}

// answerText describes the answer of a receiver in one line.
func answerText(a api.ReceiverAnswer) string {
	var parts []string
	if a.Error != "" {
		parts = append(parts, a.Error)
	}
	if a.Status != 0 {
		parts = append(parts, fmt.Sprint(a.Status))
	}
	if a.Body != "" {
		parts = append(parts, a.Body)
	}
	return strings.Join(parts, " ")
}
