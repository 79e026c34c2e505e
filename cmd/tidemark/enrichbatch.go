package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

func (p *program) enrichBatchesCommand() *cobra.Command {
	l := api.EnrichList{}
	cmd := &cobra.Command{
		Use:     "batches",
		Short:   "List batches and how far they are, newest first",
		Example: "  tidemark enrich batches\n  tidemark enrich batches --top 100 --schema pkm_test",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.enrichBatches(cmd.Context(), l)
		},
	}
	cmd.Flags().StringVar(&l.Schema, "schema", "", "those of pkm or of pkm_test; as the test mode is when not given")
	cmd.Flags().IntVar(&l.Top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&l.Before, "before", "", "only older ones than the batch of this `ID`")
	return cmd
}

func (p *program) enrichBatches(ctx context.Context, l api.EnrichList) error {
	if l.Top < 1 {
		return usagef("--top is %d: give 1 to 100", l.Top)
	}
	list, err := p.client().EnrichBatches(ctx, l)
	if err != nil {
		return err
	}
	if len(list.Batches) == 0 {
		p.say("no batches")
	}
	if p.json || len(list.Batches) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BATCH\tBEGUN\tENTRIES\tSTATUS")
	for _, b := range list.Batches {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", clean(b.ID), ago(p.now(), b.CreatedAt), thousands(b.Entries), clean(batchText(b)))
	}
	return w.Flush()
}

// batchText is the state of a batch in words.
func batchText(b api.EnrichBatch) string {
	if b.Status == "done" {
		return "done: " + outcomes(b)
	}
	text := b.Status
	if b.RemoteStatus != "" {
		text += " (" + b.RemoteStatus + ")"
	}
	if !b.CancelledAt.IsZero() {
		text += ", is being cancelled"
	}
	if b.Message != "" {
		text += ": " + b.Message
	}
	return text
}

// outcomes is what became of the entries of a batch that is done.
func outcomes(b api.EnrichBatch) string {
	parts := []string{thousands(b.Enriched) + " enriched"}
	for _, o := range []struct {
		n    int
		what string
	}{{b.Skipped, "skipped"}, {b.Failed, "failed"}, {b.Cancelled, "cancelled"}} {
		if o.n > 0 {
			parts = append(parts, thousands(o.n)+" "+o.what)
		}
	}
	if b.Again > 0 {
		parts = append(parts, fmt.Sprintf("%s again in %s", thousands(b.Again), b.Next))
	}
	return strings.Join(parts, ", ")
}

func (p *program) enrichShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show BATCH",
		Short:   "Show a batch with what became of each entry",
		Example: "  tidemark enrich show t1-8227633599999-0f3a…",
		Args:    one("batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.enrichShow(cmd.Context(), args[0])
		},
	}
}

func (p *program) enrichShow(ctx context.Context, id string) error {
	b, err := p.client().EnrichBatchState(ctx, id)
	if err != nil {
		return err
	}
	p.sayFields([]field{
		{"batch", b.ID},
		{"schema", b.Schema},
		{"status", batchText(b)},
		{"model", b.Model},
		{"attempt", positive(b.Attempt)},
		{"waits", moment(p.now(), b.NotBefore)},
		{"begun", moment(p.now(), b.CreatedAt)},
		{"cancelled", moment(p.now(), b.CancelledAt)},
		{"ended", moment(p.now(), b.EndedAt)},
		{"charged", charged(b)},
	})
	if len(b.Lines) > 0 {
		p.say("\n%s", entriesOf(b))
	}
	for _, l := range b.Lines {
		p.say("%s", strings.TrimRight(fmt.Sprintf("  %-9s  %s  %s", clean(l.Outcome), clean(l.EntryID), clean(l.Message)), " "))
	}
	return nil
}

func charged(b api.EnrichBatch) string {
	if b.TokensIn == 0 {
		return ""
	}
	return tokens(b.TokensIn, b.TokensOut, b.Cost)
}

const enrichCancelLong = `Cancel a batch. What the model has said by then is used, and nothing more is asked;
that takes a while. Cancelling twice is cancelling once.`

func (p *program) enrichCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel BATCH",
		Short:   "Cancel a batch",
		Long:    enrichCancelLong,
		Example: "  tidemark enrich cancel t1-8227633599999-0f3a…",
		Args:    one("batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.client().CancelEnrichBatch(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p.say("%s is being cancelled; `%s enrich show %s` tells when it is done", clean(b.ID), p.name(), clean(b.ID))
			return nil
		},
	}
}

// isOff reports whether the server has no model, or a key that is refused: no entry is to blame.
func isOff(err error) bool {
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status == http.StatusForbidden
}
