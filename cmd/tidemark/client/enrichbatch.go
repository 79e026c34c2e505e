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

const enrichBatchesHelp = `batches
List batches and their progress, newest first

  tidemark enrich batches
  tidemark enrich batches --top 100 --schema pkm_test`

func enrichBatchesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	l := api.EnrichQuery{}
	cmd := command.New(enrichBatchesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		return listEnrichBatches(ctx, t, s, l)
	})
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
	return terminal.List(t, list.Batches, "no batches", "BATCH\tBEGUN\tENTRIES\tSTATUS", func(b api.EnrichBatch) string {
		return terminal.Row(b.ID, terminal.Ago(t.Now(), b.CreatedAt), b.Entries, batchText(b))
	})
}

// batchText describes the state of a batch in words.
func batchText(b api.EnrichBatch) string {
	if b.Status == "done" {
		return "done: " + outcomes(b)
	}
	return b.Status + terminal.When(b.RemoteStatus != "", " (%s)", b.RemoteStatus) +
		terminal.When(!b.CancelledAt.IsZero(), ", is being cancelled") +
		terminal.When(b.Message != "", ": %s", b.Message)
}

// outcomes describes the results for the entries of a finished batch.
func outcomes(b api.EnrichBatch) string {
	some := func(n int, what string) string { return terminal.When(n > 0, "%s %s", words.Thousands(n), what) }
	return terminal.Join(", ", words.Thousands(b.Enriched)+" enriched", some(b.Skipped, "skipped"),
		some(b.Failed, "failed"), some(b.Cancelled, "cancelled"), some(b.Again, "again in "+b.Next))
}

const enrichShowHelp = `show BATCH
Show a batch with the result of each entry

  tidemark enrich show t1-8227633599999-0f3a…`

func enrichShowCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(enrichShowHelp, command.One("batch"), func(ctx context.Context, args []string) error {
		b, err := api.GetEnrichBatch.Call(ctx, s.Client(), api.EnrichBatchID{ID: args[0]})
		if err == nil {
			showBatch(t, b)
		}
		return err
	})
}

func showBatch(t *terminal.Terminal, b api.EnrichBatch) {
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
		{"charged", terminal.When(b.TokensIn > 0, "%s", tokens(b.TokensIn, b.TokensOut, b.Cost))},
	})
	t.SayWhen(len(b.Lines) > 0, "\n%s", words.Count(b.Entries, "entry"))
	for _, l := range b.Lines {
		line := fmt.Sprintf("  %-9s  %s  %s", terminal.Clean(l.Outcome), terminal.Clean(l.EntryID), terminal.Clean(l.Message))
		t.Say("%s", strings.TrimRight(line, " "))
	}
}

const enrichCancelHelp = `cancel BATCH
Cancel a batch

Cancel a batch. Answers that the model has already given are used, and it gets no
further requests. This takes a while. Cancelling a batch again has no effect.

  tidemark enrich cancel t1-8227633599999-0f3a…`

func enrichCancelCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(enrichCancelHelp, command.One("batch"), func(ctx context.Context, args []string) error {
		b, err := api.CancelEnrichBatch.Call(ctx, s.Client(), api.EnrichBatchID{ID: args[0]})
		id := terminal.Clean(b.ID)
		t.SayWhen(err == nil, "%s is being cancelled; `%s enrich show %s` tells when it is done", id, t.Name, id)
		return err
	})
}

// isOff reports whether an error means that the server has no model, or that the model's service refuses the server's
// key. Such an error concerns every entry.
func isOff(err error) bool {
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status == http.StatusForbidden
}
