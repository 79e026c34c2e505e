package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const deliveriesExample = `  tidemark deliveries --state failed
  tidemark deliveries retry ID`

const deliveriesLong = `List the messages to receivers: those that wait, and then the others, the
newest first. Each is tried for a day, and kept for 30 days.`

func deliveriesCommand(p *program) *cobra.Command {
	var q api.DeliveryQuery
	cmd := &cobra.Command{
		Use: "deliveries", Short: "List messages to receivers, and send them again", Long: deliveriesLong,
		Example: deliveriesExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listDeliveries(cmd.Context(), p, q) },
	}
	f := cmd.Flags()
	f.StringVar(&q.State, "state", "", "only waiting, sent or failed")
	f.StringVar(&q.Rule, "rule", "", "only those of the rule of this id")
	f.StringVar(&q.Channel, "channel", "", "only those to this channel")
	f.IntVar(&q.Top, "top", 50, "how many, 1 to 500")
	cmd.AddCommand(&cobra.Command{Use: "retry ID", Short: "Send a message again", Args: one("id"),
		Example: "  tidemark deliveries retry ID",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := api.RetryDelivery.Call(cmd.Context(), p.client(), api.DeliveryID{ID: args[0]})
			if err == nil && !p.json {
				p.say("%s is sent to %s again", clean(d.Title), clean(d.Channel))
			}
			return err
		}})
	return cmd
}

func listDeliveries(ctx context.Context, p *program, q api.DeliveryQuery) error {
	got, err := api.ListDeliveries.Call(ctx, p.client(), q)
	switch {
	case err != nil || p.json:
		return err
	case len(got.Deliveries) == 0:
		p.say("no messages")
		return nil
	}
	rows := []string{"STATE\tMADE\tTO\tTRIES\tWHAT\tANSWER\tID"}
	for _, d := range got.Deliveries {
		rows = append(rows, row(d.State, dayOf(d.Created), d.Channel, fmt.Sprint(d.Attempts), d.Title,
			answerText(d.Answer), d.ID))
	}
	return table(p.out, rows...)
}

// answerText is what a receiver said, in a line.
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
