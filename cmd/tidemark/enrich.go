package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const enrichLong = `Have a language model say what entries are about: gist, topics and keywords. An
entry that was described is not paid for again until it changes.

It is done now, one after the other, or with --batch within a day and at half the
price with most services. - reads ids from standard input, one on a line; with
--missing, it is all entries that were never described, or could not be. The
server needs T1_DEFAULT_MODEL, and T1_BATCH_MODEL for batches.`

const enrichExample = `  tidemark enrich entry_telegram_link_v1-k7gx…
  tidemark enrich --batch - < ids.txt
  tidemark enrich --batch --missing
  tidemark enrich batches`

func (p *program) enrichCommand() *cobra.Command {
	var batch, missing bool
	cmd := &cobra.Command{
		Use:     "enrich ENTRY_ID…",
		Short:   "Have a language model describe entries, now or in batches",
		Long:    enrichLong,
		Example: enrichExample,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case !missing:
				return some("id of an entry")(cmd, args)
			case len(args) > 0:
				return usagef("--missing names all entries itself: give no ids")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := p.idsToEnrich(cmd.Context(), args, missing)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				p.say("no entry lacks a description")
			}
			if batch {
				return p.enrichLater(cmd.Context(), ids)
			}
			return p.enrichNow(cmd.Context(), ids)
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "when the model has time, within a day, instead of now")
	cmd.Flags().BoolVar(&missing, "missing", false, "all entries that were never described, or could not be")
	cmd.AddCommand(p.enrichBatchesCommand(), p.enrichShowCommand(), p.enrichCancelCommand())
	return cmd
}

func (p *program) idsToEnrich(ctx context.Context, args []string, missing bool) ([]string, error) {
	if missing {
		return p.undescribed(ctx)
	}
	return p.entryIDs(args)
}

// undescribed are the ids of all entries that have no description and are in no batch that goes on.
func (p *program) undescribed(ctx context.Context) (ids []string, err error) {
	client, q := p.client(), api.EntryQuery{Top: 200}
	for {
		page, err := client.Entries(ctx, q)
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

// entryIDs are the ids in the arguments, and in standard input where one is "-".
func (p *program) entryIDs(args []string) (ids []string, err error) {
	for _, arg := range args {
		if arg != "-" {
			ids = append(ids, arg)
			continue
		}
		for e, err := range entries(p.in) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, e.source)
		}
	}
	if len(ids) == 0 {
		return nil, usagef("there are no ids on standard input")
	}
	return ids, nil
}

// enrichNow describes entries one after the other. What one of them is to blame for is reported, and
// the others go on.
func (p *program) enrichNow(ctx context.Context, ids []string) error {
	client, failed := p.client(), 0
	for _, id := range ids {
		t, err := client.Enrich(ctx, api.EnrichRequest{EntryID: id})
		switch {
		case err == nil:
			p.sayFields(append([]field{{"entry", t.EntryID}}, described(t)...))
		case isOwnFault(err) && !isOff(err):
			failed++
			p.note("%s: %v", cut(clean(id), 100), err)
		default:
			return err
		}
	}
	if failed > 0 {
		return errReported
	}
	return nil
}

// described are the fields that have something to say.
func described(t api.Tier1) []field {
	topics := topic(t.TopicPrimary, t.TopicPrimaryConfidence)
	if t.TopicSecondary != "" {
		topics += ", " + topic(t.TopicSecondary, t.TopicSecondaryConfidence)
	}
	return []field{
		{"gist", t.Gist},
		{"topics", topics},
		{"keywords", strings.Join(t.Keywords, ", ")},
		{"model", fmt.Sprintf("%s, %s", t.Model, tokens(t.TokensIn, t.TokensOut, t.Cost))},
	}
}

func topic(name string, confidence float64) string {
	return fmt.Sprintf("%s (%.0f %%)", name, 100*confidence)
}

// tokens is what answers were charged for, in words.
func tokens(in, out int, cost float64) string {
	text := fmt.Sprintf("%s tokens in, %s out", thousands(in), thousands(out))
	if cost > 0 {
		text += fmt.Sprintf(", $%.6f", cost)
	}
	return text
}

// sayFields prints what there is to say, a line for each.
func (p *program) sayFields(all []field) {
	for _, f := range all {
		if text := clean(f.value); text != "" {
			p.say("%-9s  %s", f.name, text)
		}
	}
}

// enrichLater queues batches of as many entries as one may have.
func (p *program) enrichLater(ctx context.Context, ids []string) error {
	client := p.client()
	for batch := range slices.Chunk(ids, api.MaxEnrichBatch) {
		b, err := client.EnrichBatch(ctx, batch)
		if err != nil {
			return err
		}
		p.say("%s has %s; `%s enrich show %s` tells how far it is", clean(b.ID), entriesOf(b), p.name(), clean(b.ID))
	}
	return nil
}

// entriesOf is how many entries a batch has, in words.
func entriesOf(b api.EnrichBatch) string { return strings.TrimSpace(counted(b.Entries, "")) }
