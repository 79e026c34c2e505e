package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

func backfillListCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var top int
	var after string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List runs and their progress, newest first",
		Example: "  tidemark backfill list\n  tidemark backfill list --top 100",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return backfillList(cmd.Context(), t, s, top, after)
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&after, "before", "", "only runs older than the one with this `ID`")
	return cmd
}

func backfillList(ctx context.Context, t *terminal.Terminal, s *command.Server, top int, after string) error {
	if top < 1 || top > 100 {
		return command.Usagef("--top is %d: give 1 to 100", top)
	}
	list, err := api.ListBackfills.Call(ctx, s.Client(), api.BackfillQuery{Top: top, Continuation: after})
	if err != nil || t.JSON {
		return err
	}
	if len(list.Runs) == 0 {
		t.Say("no runs")
		return nil
	}
	rows := []string{"RUN\tBEGUN\tSTATUS\tFOUND\tNEW\tERRORS\tSITES"}
	for _, r := range list.Runs {
		rows = append(rows, terminal.Row(r.ID, words.Ago(t.Now(), r.CreatedAt), statusOf(r), r.Discovered, r.Queued,
			r.Errors,
			strings.Join(r.Sources, ", ")))
	}
	return terminal.Table(t.Out, rows...)
}

// statusOf returns the status of a run as text, which also says whether the run only counts pages.
func statusOf(r api.BackfillRun) string {
	if r.DryRun {
		return r.Status + " (dry run)"
	}
	return r.Status
}

const backfillShowLong = `Show a run: its request, the results of each site, the addresses that were skipped
and why, and the errors. With --watch, follow the run until it ends or is paused.`

func backfillShowCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var watch bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run, or follow it",
		Long:  backfillShowLong,
		Example: "  tidemark backfill show backfill-20260301t120002z-0f3a…\n  tidemark backfill show --watch " +
			"backfill-20260301t120002z-0f3a…",
		Args: command.One("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.CheckInterval(interval); err != nil {
				return err
			}
			run, err := api.GetBackfill.Call(cmd.Context(), s.Client(), api.BackfillID{ID: args[0]})
			switch {
			case err != nil:
				return err
			case watch:
				return followBackfill(cmd.Context(), t, s, run, interval)
			}
			return showBackfill(t, run)
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "follow the run until it ends or is paused")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often --watch polls")
	return cmd
}

func showBackfill(t *terminal.Terminal, r api.BackfillRun) error {
	sayFields(t, []field{
		{"run", r.ID},
		{"status", statusOf(r)},
		{"why", r.Note},
		{"mode", r.Mode},
		{"dates", datesOf(r)},
		{"begun", words.Moment(t.Now(), r.StartedAt)},
		{"ended", words.Moment(t.Now(), r.FinishedAt)},
		{"by", r.RunBy},
		{"pages", backfillProgress(r)},
		{"read", fmt.Sprintf("%s with %s, %s bytes", words.Count(r.Documents, "document"), words.Count(r.Requests, "request"),
			words.Thousands(int(r.Bytes)))},
	})
	if t.JSON {
		return nil
	}
	fmt.Fprintln(t.Out)
	if err := backfillSources(t, r.Progress); err != nil {
		return err
	}
	backfillReasons(t, r.Reasons)
	backfillErrors(t, r)
	return nil
}

// datesOf returns the dates to which a run is limited. The last date itself is excluded.
func datesOf(r api.BackfillRun) string {
	switch from, to := words.Stamp(r.DateFrom), words.Stamp(r.DateTo); {
	case r.DateFrom.IsZero() && r.DateTo.IsZero():
		return ""
	case r.DateFrom.IsZero():
		return "before " + to
	case r.DateTo.IsZero():
		return "from " + from
	default:
		return "from " + from + ", before " + to
	}
}

func backfillSources(t *terminal.Terminal, all []api.BackfillProgress) error {
	rows := []string{"SITE\tSTATE\tFOUND\tNEW\tKNOWN\tERRORS\tNOTE"}
	for _, s := range all {
		rows = append(rows, terminal.Row(s.Source, s.State, s.Discovered, s.Queued, s.Skipped, s.Errors, s.Note))
	}
	return terminal.Table(t.Out, rows...)
}

// backfillReasons lists why addresses were skipped, the most frequent reason first.
func backfillReasons(t *terminal.Terminal, reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	t.Say("\npassed over")
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		t.Say("  %s  %s", words.Thousands(reasons[why]), terminal.Clean(why))
	}
}

func backfillErrors(t *terminal.Terminal, r api.BackfillRun) {
	if r.Errors == 0 {
		return
	}
	t.Say("\n%s", words.Count(r.Errors, "error"))
	for _, e := range r.ErrorLog {
		t.Say("  %s  %s", words.Stamp(e.At),
			strings.Join(strings.Fields(terminal.Clean(e.Source+"  "+e.URL+"  "+e.Message)), " "))
	}
	if more := r.Errors - len(r.ErrorLog); more > 0 {
		t.Say("  and %s more", words.Thousands(more))
	}
}

func backfillSitesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "sites",
		Short:   "List the sites of the server's site file",
		Example: "  tidemark backfill sites",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return backfillSites(cmd.Context(), t, s) },
	}
}

func backfillSites(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	list, err := api.ListBackfillSites.Call(ctx, s.Client(), api.None{})
	if err != nil || t.JSON {
		return err
	}
	if !list.Enabled {
		t.Note("backfill is disabled on this server: it needs BACKFILL_ENABLED=true")
	}
	if len(list.Sites) == 0 {
		t.Say("no sites: the server has no site file, see BACKFILL_SITES_FILE")
		return nil
	}
	rows := []string{"SITE\tDOMAIN\tMODES"}
	for _, s := range list.Sites {
		rows = append(rows, terminal.Row(s.Slug, s.Domain, strings.ToLower(strings.Join(s.Modes, ", "))))
	}
	return terminal.Table(t.Out, rows...)
}

const backfillResumeLong = `Resume a paused or failed run. A failed run tries again what it could not read, and
counts nothing twice.`

const backfillCancelLong = `End a run before its next step. The pages it has registered stay registered.`

// backfillDo makes a command that performs one action on a run.
func backfillDo(t *terminal.Terminal, s *command.Server, verb, short, long string, route api.Route[api.BackfillID,
	api.BackfillRun]) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " RUN",
		Short:   short,
		Long:    long,
		Example: "  tidemark backfill " + verb + " backfill-20260301t120002z-0f3a…",
		Args:    command.One("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := route.Call(cmd.Context(), s.Client(), api.BackfillID{ID: args[0]})
			if err == nil {
				t.Say("%s is %s; `%s backfill show %s` shows its result", terminal.Clean(run.ID), terminal.Clean(run.Status),
					t.Name, terminal.Clean(run.ID))
			}
			return err
		},
	}
}
