package client

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const itemsHelp = `items
List sources

List sources with their status, their last check and their next one.

Times are relative: "3 hours ago", "in 2 days". With --format, all matching sources
are written as CSV or JSON Lines, with exact times; "tidemark import" reads either.

  tidemark items --status Error
  tidemark items --host example.com --all
  tidemark items --tag news --sort -lastChanged
  tidemark items --tag news --format csv > news.csv
  tidemark items --all --json | jq -r '.items[].normalizedSource'`

func itemsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.ItemQuery
	var status, format string
	var all bool
	cmd := command.New(itemsHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		var err error
		switch q.Status, err = parseStatus(status); {
		case err != nil:
			return err
		case format != "" && (q.Sort != "" || q.Positional):
			return command.Usagef("--format writes sources as they come: leave --sort and --positional out")
		case format != "":
			return exported(ctx, t, s, api.ExportItems, api.ItemExport{Format: format, Host: q.Host,
				Status: q.Status, Tag: q.Tag, Paused: q.Paused})
		case q.Top < 1 || q.Top > api.MaxBatch:
			return command.Usagef("--top is %d: give 1 to %d", q.Top, api.MaxBatch)
		}
		return listItems(ctx, t, s, q, all)
	})
	f := cmd.Flags()
	command.HostFlag(f, &q.Host, "only sources of this `HOST`")
	f.StringVar(&status, "status", "", "only sources of this `STATUS`: "+statusNames())
	f.StringVar(&q.Tag, "tag", "", "only sources that have this `TAG`")
	f.BoolVar(&q.Paused, "paused", false, "only sources that are paused")
	f.BoolVar(&q.Positional, "positional", false, "only sources of which a row or an entry is watched by its place")
	f.BoolVar(&q.Removing, "removing", false, "also sources whose removal can still be taken back")
	f.StringVar(&q.Sort, "sort", "", "order: source, status, lastChecked, lastChanged, nextCrawlAt or firstSeen; "+
		"a leading hyphen reverses it")
	f.IntVar(&q.Top, "top", 50, "how many; with --all, how many to read at a time")
	f.BoolVar(&all, "all", false, "list everything, to the end")
	formatFlag(f, &format)
	return cmd
}

func formatFlag(f *pflag.FlagSet, into *string) {
	f.StringVar(into, "format", "", "write everything as a file in this `FORMAT`: csv or jsonl")
}

// exported writes an export to standard output.
func exported[Q any](ctx context.Context, t *terminal.Terminal, s *command.Server, r api.Route[Q, []byte], q Q) error {
	if t.JSON {
		return command.Usagef("--json and --format exclude each other; JSON Lines are --format jsonl")
	}
	return api.Export(ctx, s.Silent(), r, q, t.Out)
}

// parseStatus finds a status by its name, without regard to case. No name is no status.
func parseStatus(name string) (api.Status, error) {
	for _, s := range append(api.Statuses(), "") {
		if strings.EqualFold(string(s), name) {
			return s, nil
		}
	}
	return "", command.Usagef("--status is %q: give one of %s", name, statusNames())
}

func statusNames() string { return namesOf(api.Statuses()) }

// namesOf lists all that a flag may be.
func namesOf[S ~string](all []S) string {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return strings.Join(names, ", ")
}

func listItems(ctx context.Context, t *terminal.Terminal, s *command.Server, q api.ItemQuery, all bool) error {
	n := 0
	for page, err := range s.Client().Pages(ctx, q) {
		if err != nil {
			return err
		}
		itemTable(t, page.Items, n == 0)
		n += len(page.Items)
		if !all && page.Continuation != "" {
			t.Note("%s shown, there are more: see --all", words.Count(n, "source"))
			return nil
		}
	}
	t.SayWhen(n == 0, "no sources")
	return nil
}

// itemTable prints one page of a listing. Pages are printed as they arrive, because a listing may be long.
func itemTable(t *terminal.Terminal, items []api.Item, first bool) {
	if t.JSON || len(items) == 0 {
		return
	}
	var rows []string
	if first {
		rows = append(rows, "STATUS\tCHECKED\tNEXT\tID\tSOURCE")
	}
	for _, it := range items {
		rows = append(rows, itemRow(t.Now(), it))
	}
	_ = terminal.Table(t.Out, rows...) // an error means that the reader has gone
}

func itemRow(now time.Time, it api.Item) string {
	short := func(text string) string { return terminal.Cut(terminal.Clean(text), 60) }
	return fmt.Sprintf("%-10s\t%-14s\t%-14s\t%s\t%s", terminal.Clean(string(it.Status)),
		words.Ago(now, it.LastChecked), words.Ago(now, it.NextCrawlAt), terminal.Clean(it.ID), nameOf(it)) +
		terminal.When(it.ErrorMessage != "", "  (%s)", short(it.ErrorMessage)) +
		terminal.When(it.NotIndexed != "", "  (not indexed: %s)", short(it.NotIndexed)) +
		terminal.When(it.Paused, "  (paused)") + terminal.When(it.RemoveRequested, "  (being removed)") +
		terminal.When(it.Collapsed, "  (collapsed: %s)", short(it.Why)) +
		terminal.When(it.Thin && !it.Collapsed, "  (thin: %s)", short(it.Why))
}
