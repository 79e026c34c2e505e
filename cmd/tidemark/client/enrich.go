package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const enrichHelp = `enrich ENTRY_ID…
Let a language model describe entries, now or in batches

Let a language model describe entries: gist, topics and keywords. A described entry
costs nothing more until it changes.

Entries are described now, one after another. With --batch they are described within
a day, at half the price with most services. - reads ids from standard input, one
per line. --missing selects all entries without a description, including those that
failed. The server needs T1_DEFAULT_MODEL, and T1_BATCH_MODEL for batches.

  tidemark enrich entry_telegram_link_v1-k7gx…
  tidemark enrich --batch - < ids.txt
  tidemark enrich --batch --missing
  tidemark enrich batches`

func enrichCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var batch, missing bool
	cmd := command.New(enrichHelp, nil, func(ctx context.Context, args []string) (err error) {
		var ids []string
		switch {
		case !missing && len(args) == 0:
			return command.Usagef("give at least one id of an entry")
		case !missing:
			ids, err = entryIDs(t, args)
		case len(args) > 0:
			return command.Usagef("--missing names all entries itself: give no ids")
		default:
			ids, err = undescribed(ctx, s)
		}
		if err != nil {
			return err
		}
		t.SayWhen(len(ids) == 0, "no entry lacks a description")
		if batch {
			return enrichLater(ctx, t, s, ids)
		}
		return enrichNow(ctx, t, s, ids)
	})
	cmd.Flags().BoolVar(&batch, "batch", false, "describe them within a day, at the lower price of batches")
	cmd.Flags().BoolVar(&missing, "missing", false, "all entries without a description, including failed ones")
	cmd.AddCommand(enrichBatchesCommand(t, s), enrichShowCommand(t, s), enrichCancelCommand(t, s))
	return cmd
}

// undescribed returns the ids of all entries that have no description and are in no unfinished batch.
func undescribed(ctx context.Context, s *command.Server) (ids []string, err error) {
	client, q := s.Client(), api.EntryQuery{Top: 200}
	for {
		page, err := api.ListEntries.Call(ctx, client, q)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			if e.Tier1Status == "" || e.Tier1Status == api.Tier1Failed {
				ids = append(ids, e.EntryID)
			}
		}
		if q.Continuation = page.Continuation; q.Continuation == "" {
			return ids, nil
		}
	}
}

// entryIDs returns the ids in the arguments. An argument "-" stands for the ids in standard input.
func entryIDs(t *terminal.Terminal, args []string) (ids []string, err error) {
	for _, arg := range args {
		if arg != "-" {
			ids = append(ids, arg)
			continue
		}
		for e, err := range entries(t.In) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, e.source)
		}
	}
	if len(ids) == 0 {
		return nil, command.Usagef("there are no ids on standard input")
	}
	return ids, nil
}

// enrichNow describes entries one after another.
func enrichNow(ctx context.Context, t *terminal.Terminal, s *command.Server, ids []string) error {
	toBlame := func(err error) bool { return isOwnFault(err) && !isOff(err) }
	return eachEntry(t, ids, toBlame, func(id string) error {
		d, err := api.Enrich.Call(ctx, s.Client(), api.EnrichRequest{EntryID: id})
		if err == nil {
			sayFields(t, append([]field{{"entry", d.EntryID}}, described(d)...))
		}
		return err
	})
}

// described returns the fields of a description that have a value.
func described(t api.Tier1) []field {
	topic := func(name string, confidence float64) string {
		return terminal.When(name != "", "%s (%.0f %%)", name, 100*confidence)
	}
	return []field{
		{"gist", t.Gist},
		{"topics", terminal.Join(", ", topic(t.TopicPrimary, t.TopicPrimaryConfidence),
			topic(t.TopicSecondary, t.TopicSecondaryConfidence))},
		{"keywords", strings.Join(t.Keywords, ", ")},
		{"model", fmt.Sprintf("%s, %s", t.Model, tokens(t.TokensIn, t.TokensOut, t.Cost))},
	}
}

// tokens says in words how many tokens were used and what they cost.
func tokens(in, out int, cost float64) string {
	return fmt.Sprintf("%s tokens in, %s out", words.Thousands(in), words.Thousands(out)) +
		terminal.When(cost > 0, ", $%.6f", cost)
}

// enrichLater queues the entries in batches of the largest allowed size.
func enrichLater(ctx context.Context, t *terminal.Terminal, s *command.Server, ids []string) error {
	for batch := range slices.Chunk(ids, api.MaxEnrichBatch) {
		b, err := api.StartEnrichBatch.Call(ctx, s.Client(), api.EnrichBatchRequest{EntryIDs: batch})
		if err != nil {
			return err
		}
		t.Say("%s has %s; `%s enrich show %[1]s` tells how far it is", terminal.Clean(b.ID),
			words.Count(b.Entries, "entry"), t.Name)
	}
	return nil
}

const enrichBatchesHelp = `batches
List batches and their progress, newest first

  tidemark enrich batches
  tidemark enrich batches --top 100 --schema pkm_test`

func enrichBatchesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	l := api.EnrichQuery{}
	cmd := command.New(enrichBatchesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if l.Top < 1 {
			return command.Usagef("--top is %d: give 1 to 100", l.Top)
		}
		list, err := api.ListEnrichBatches.Call(ctx, s.Client(), l)
		if err != nil {
			return err
		}
		return terminal.List(t, list.Batches, "no batches", "BATCH\tBEGUN\tENTRIES\tSTATUS",
			func(b api.EnrichBatch) string {
				return terminal.Row(b.ID, words.Ago(t.Now(), b.CreatedAt), b.Entries, batchText(b))
			})
	})
	cmd.Flags().StringVar(&l.Schema, "schema", "", "those of pkm or of pkm_test; as the test mode is when not given")
	cmd.Flags().IntVar(&l.Top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&l.Before, "before", "", "only batches older than the one with this `ID`")
	return cmd
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
	return asked(s, enrichShowHelp, command.One("batch"), api.GetEnrichBatch, func(b api.EnrichBatch) { showBatch(t, b) })
}

func showBatch(t *terminal.Terminal, b api.EnrichBatch) {
	sayFields(t, []field{
		{"batch", b.ID},
		{"schema", b.Schema},
		{"status", batchText(b)},
		{"model", b.Model},
		{"attempt", positive(b.Attempt)},
		{"waits", words.Moment(t.Now(), b.NotBefore)},
		{"begun", words.Moment(t.Now(), b.CreatedAt)},
		{"cancelled", words.Moment(t.Now(), b.CancelledAt)},
		{"ended", words.Moment(t.Now(), b.EndedAt)},
		{"charged", terminal.When(b.TokensIn > 0, "%s", tokens(b.TokensIn, b.TokensOut, b.Cost))},
	})
	t.SayWhen(len(b.Lines) > 0, "\n%s", words.Count(b.Entries, "entry"))
	for _, l := range b.Lines {
		t.Say("  %-9s  %s%s", terminal.Clean(l.Outcome), terminal.Clean(l.EntryID),
			terminal.When(l.Message != "", "  %s", terminal.Clean(l.Message)))
	}
}

const enrichCancelHelp = `cancel BATCH
Cancel a batch

Cancel a batch. Answers that the model has already given are used, and it gets no
further requests. This takes a while. Cancelling a batch again has no effect.

  tidemark enrich cancel t1-8227633599999-0f3a…`

func enrichCancelCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return asked(s, enrichCancelHelp, command.One("batch"), api.CancelEnrichBatch, func(b api.EnrichBatch) {
		t.Say("%s is being cancelled; `%s enrich show %[1]s` tells when it is done", terminal.Clean(b.ID), t.Name)
	})
}

// isOff reports whether an error means that the server has no model, or that the model's service refuses the server's
// key. Such an error concerns every entry.
func isOff(err error) bool {
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status == http.StatusForbidden
}
