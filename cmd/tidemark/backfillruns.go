package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

func backfillListCommand(p *program) *cobra.Command {
	var top int
	var after string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List runs and how far they are, newest first",
		Example: "  tidemark backfill list\n  tidemark backfill list --top 100",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return backfillList(cmd.Context(), p, top, after)
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&after, "before", "", "only older ones than the run of this `ID`")
	return cmd
}

func backfillList(ctx context.Context, p *program, top int, after string) error {
	if top < 1 || top > 100 {
		return usagef("--top is %d: give 1 to 100", top)
	}
	list, err := api.ListBackfills.Call(ctx, p.client(), api.BackfillQuery{Top: top, Continuation: after})
	if err != nil || p.json {
		return err
	}
	if len(list.Runs) == 0 {
		p.say("no runs")
		return nil
	}
	rows := []string{"RUN\tBEGUN\tSTATUS\tFOUND\tNEW\tERRORS\tSITES"}
	for _, r := range list.Runs {
		rows = append(rows, row(r.ID, ago(p.now(), r.CreatedAt), statusOf(r), r.Discovered, r.Queued, r.Errors,
			strings.Join(r.Sources, ", ")))
	}
	return table(p.out, rows...)
}

// statusOf is the status of a run, and whether it only counts.
func statusOf(r api.BackfillRun) string {
	if r.DryRun {
		return r.Status + " (dry run)"
	}
	return r.Status
}

const backfillShowLong = `Show a run: what it was asked for, what each site gave, what was left out and
why, and its errors. With --watch it is followed until it goes on no longer.`

func backfillShowCommand(p *program) *cobra.Command {
	var watch bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run, or follow it",
		Long:  backfillShowLong,
		Example: "  tidemark backfill show backfill-20260301t120002z-0f3a…\n  tidemark backfill show --watch " +
			"backfill-20260301t120002z-0f3a…",
		Args: one("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkInterval(interval); err != nil {
				return err
			}
			run, err := api.GetBackfill.Call(cmd.Context(), p.client(), api.BackfillID{ID: args[0]})
			switch {
			case err != nil:
				return err
			case watch:
				return followBackfill(cmd.Context(), p, run, interval)
			}
			return showBackfill(p, run)
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "follow it until it goes on no longer")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often --watch polls")
	return cmd
}

func showBackfill(p *program, r api.BackfillRun) error {
	p.sayFields([]field{
		{"run", r.ID},
		{"status", statusOf(r)},
		{"why", r.Note},
		{"mode", r.Mode},
		{"dates", datesOf(r)},
		{"begun", moment(p.now(), r.StartedAt)},
		{"ended", moment(p.now(), r.FinishedAt)},
		{"by", r.RunBy},
		{"pages", backfillProgress(r)},
		{"read", fmt.Sprintf("%s with %s, %s bytes", words.Count(r.Documents, "document"), words.Count(r.Requests, "request"),
			words.Thousands(int(r.Bytes)))},
	})
	if p.json {
		return nil
	}
	fmt.Fprintln(p.out)
	if err := backfillSources(p, r.Progress); err != nil {
		return err
	}
	backfillReasons(p, r.Reasons)
	backfillErrors(p, r)
	return nil
}

// datesOf are the dates that a run is limited to; the end is the first moment that is out.
func datesOf(r api.BackfillRun) string {
	switch from, to := stamp(r.DateFrom), stamp(r.DateTo); {
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

func backfillSources(p *program, all []api.BackfillProgress) error {
	rows := []string{"SITE\tSTATE\tFOUND\tNEW\tKNOWN\tERRORS\tNOTE"}
	for _, s := range all {
		rows = append(rows, row(s.Source, s.State, s.Discovered, s.Queued, s.Skipped, s.Errors, s.Note))
	}
	return table(p.out, rows...)
}

// backfillReasons lists why addresses were passed over, the most frequent first.
func backfillReasons(p *program, reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	p.say("\npassed over")
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		p.say("  %s  %s", words.Thousands(reasons[why]), clean(why))
	}
}

func backfillErrors(p *program, r api.BackfillRun) {
	if r.Errors == 0 {
		return
	}
	p.say("\n%s", words.Count(r.Errors, "error"))
	for _, e := range r.ErrorLog {
		p.say("  %s  %s", stamp(e.At), strings.Join(strings.Fields(clean(e.Source+"  "+e.URL+"  "+e.Message)), " "))
	}
	if more := r.Errors - len(r.ErrorLog); more > 0 {
		p.say("  and %s more", words.Thousands(more))
	}
}

func backfillSitesCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "sites",
		Short:   "List the sites of the server's site file",
		Example: "  tidemark backfill sites",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return backfillSites(cmd.Context(), p) },
	}
}

func backfillSites(ctx context.Context, p *program) error {
	list, err := api.ListBackfillSites.Call(ctx, p.client(), api.None{})
	if err != nil || p.json {
		return err
	}
	if !list.Enabled {
		p.note("backfill is disabled on this server: it needs BACKFILL_ENABLED=true")
	}
	if len(list.Sites) == 0 {
		p.say("no sites: the server has no site file, see BACKFILL_SITES_FILE")
		return nil
	}
	rows := []string{"SITE\tDOMAIN\tMODES"}
	for _, s := range list.Sites {
		rows = append(rows, row(s.Slug, s.Domain, strings.ToLower(strings.Join(s.Modes, ", "))))
	}
	return table(p.out, rows...)
}

const backfillResumeLong = `Let a run go on that is paused or failed. One that failed asks again for what could
not be read, and counts nothing twice.`

const backfillCancelLong = `End a run before its next step. What it has registered stays registered.`

// backfillDo is a command that does one thing with a run.
func backfillDo(p *program, verb, short, long string, route api.Route[api.BackfillID, api.BackfillRun]) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " RUN",
		Short:   short,
		Long:    long,
		Example: "  tidemark backfill " + verb + " backfill-20260301t120002z-0f3a…",
		Args:    one("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := route.Call(cmd.Context(), p.client(), api.BackfillID{ID: args[0]})
			if err == nil {
				p.say("%s is %s; `%s backfill show %s` shows its result", clean(run.ID), clean(run.Status), p.name(), clean(run.ID))
			}
			return err
		},
	}
}
