package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

func enrichBatchesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	l := api.EnrichQuery{}
	cmd := &cobra.Command{
		Use:     "batches",
		Short:   "List batches and their progress, newest first",
		Example: "  tidemark enrich batches\n  tidemark enrich batches --top 100 --schema pkm_test",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listEnrichBatches(cmd.Context(), t, s, l)
		},
	}
	cmd.Flags().StringVar(&l.Schema, "schema", "", "those of pkm or of pkm_test; as the test mode is when not given")
	cmd.Flags().IntVar(&l.Top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&l.Before, "before", "", "only batches older than the one with this `ID`")
	return cmd
}

func listEnrichBatches(ctx context.Context, t *terminal.Terminal, s *command.Server, l api.EnrichQuery) error {
	if l.Top < 1 {
		return command.Usagef("--top is %d: give 1 to 100", l.Top)
	}
	list, err := api.ListEnrichBatches.Call(ctx, s.Client(), l)
	if err != nil {
		return err
	}
	if len(list.Batches) == 0 {
		t.Say("no batches")
	}
	if t.JSON || len(list.Batches) == 0 {
		return nil
	}
	rows := []string{"BATCH\tBEGUN\tENTRIES\tSTATUS"}
	for _, b := range list.Batches {
		rows = append(rows, terminal.Row(b.ID, terminal.Ago(t.Now(), b.CreatedAt), b.Entries, batchText(b)))
	}
	return terminal.Table(t.Out, rows...)
}

// batchText describes the state of a batch in words.
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

// outcomes describes the results for the entries of a finished batch.
func outcomes(b api.EnrichBatch) string {
	parts := []string{words.Thousands(b.Enriched) + " enriched"}
	for _, o := range []struct {
		n    int
		what string
	}{{b.Skipped, "skipped"}, {b.Failed, "failed"}, {b.Cancelled, "cancelled"}} {
		if o.n > 0 {
			parts = append(parts, words.Thousands(o.n)+" "+o.what)
		}
	}
	if b.Again > 0 {
		parts = append(parts, fmt.Sprintf("%s again in %s", words.Thousands(b.Again), b.Next))
	}
	return strings.Join(parts, ", ")
}

func enrichShowCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "show BATCH",
		Short:   "Show a batch with the result of each entry",
		Example: "  tidemark enrich show t1-8227633599999-0f3a…",
		Args:    command.One("batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return enrichShow(cmd.Context(), t, s, args[0])
		},
	}
}

func enrichShow(ctx context.Context, t *terminal.Terminal, s *command.Server, id string) error {
	b, err := api.GetEnrichBatch.Call(ctx, s.Client(), api.EnrichBatchID{ID: id})
	if err != nil {
		return err
	}
	sayFields(t, []field{
		{"batch", b.ID},
		{"schema", b.Schema},
		{"status", batchText(b)},
		{"model", b.Model},
		{"attempt", positive(b.Attempt)},
		{"waits", terminal.Moment(t.Now(), b.NotBefore)},
		{"begun", terminal.Moment(t.Now(), b.CreatedAt)},
		{"cancelled", terminal.Moment(t.Now(), b.CancelledAt)},
		{"ended", terminal.Moment(t.Now(), b.EndedAt)},
		{"charged", charged(b)},
	})
	if len(b.Lines) > 0 {
		t.Say("\n%s", entriesOf(b))
	}
	for _, l := range b.Lines {
		t.Say("%s", strings.TrimRight(fmt.Sprintf("  %-9s  %s  %s", terminal.Clean(l.Outcome), terminal.Clean(l.EntryID),
			terminal.Clean(l.Message)),
			" "))
	}
	return nil
}

func charged(b api.EnrichBatch) string {
	if b.TokensIn == 0 {
		return ""
	}
	return tokens(b.TokensIn, b.TokensOut, b.Cost)
}

const enrichCancelLong = `Cancel a batch. Answers that the model has already given are used, and it gets no
further requests. This takes a while. Cancelling a batch again has no effect.`

func enrichCancelCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "cancel BATCH",
		Short:   "Cancel a batch",
		Long:    enrichCancelLong,
		Example: "  tidemark enrich cancel t1-8227633599999-0f3a…",
		Args:    command.One("batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := api.CancelEnrichBatch.Call(cmd.Context(), s.Client(), api.EnrichBatchID{ID: args[0]})
			if err != nil {
				return err
			}
			t.Say("%s is being cancelled; `%s enrich show %s` tells when it is done", terminal.Clean(b.ID), t.Name,
				terminal.Clean(b.ID))
			return nil
		},
	}
}

// isOff reports whether an error means that the server has no model, or that the model's service refuses the server's
// key. Such an error concerns every entry.
func isOff(err error) bool {
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status == http.StatusForbidden
}
