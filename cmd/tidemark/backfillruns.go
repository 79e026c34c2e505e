package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

func (p *program) backfillListCommand() *cobra.Command {
	var top int
	var after string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List runs and how far they are, newest first",
		Example: "  tidemark backfill list\n  tidemark backfill list --top 100",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.backfillList(cmd.Context(), top, after)
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&after, "before", "", "only older ones than the run of this `ID`")
	return cmd
}

func (p *program) backfillList(ctx context.Context, top int, after string) error {
	if top < 1 || top > 100 {
		return usagef("--top is %d: give 1 to 100", top)
	}
	list, err := p.client().BackfillRuns(ctx, top, after)
	if err != nil || p.json {
		return err
	}
	if len(list.Runs) == 0 {
		p.say("no runs")
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tBEGUN\tSTATUS\tFOUND\tNEW\tERRORS\tSITES")
	for _, r := range list.Runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", clean(r.ID), ago(p.now(), r.CreatedAt), clean(statusOf(r)),
			thousands(r.Discovered), thousands(r.Queued), thousands(r.Errors), clean(strings.Join(r.Sources, ", ")))
	}
	return w.Flush()
}

// statusOf is the status of a run, and whether it only counts.
func statusOf(r api.BackfillRun) string {
	if r.DryRun {
		return r.Status + " (dry run)"
	}
	return r.Status
}

const backfillShowLong = `Show a run: what it was asked for, what each site came to, what was passed over and
why, and its errors. With --watch it is followed until it goes on no longer.`

func (p *program) backfillShowCommand() *cobra.Command {
	var watch bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run, or follow it",
		Long:    backfillShowLong,
		Example: "  tidemark backfill show backfill-20260301t120002z-0f3a…\n  tidemark backfill show --watch backfill-20260301t120002z-0f3a…",
		Args:    one("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkInterval(interval); err != nil {
				return err
			}
			run, err := p.client().BackfillRun(cmd.Context(), args[0])
			switch {
			case err != nil:
				return err
			case watch:
				return p.followBackfill(cmd.Context(), run, interval)
			}
			return p.showBackfill(run)
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "follow it until it goes on no longer")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often --watch looks")
	return cmd
}

func (p *program) showBackfill(r api.BackfillRun) error {
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
		{"read", fmt.Sprintf("%s with %s, %s bytes", count(r.Documents, "document"), count(r.Requests, "request"), thousands(int(r.Bytes)))},
	})
	if p.json {
		return nil
	}
	fmt.Fprintln(p.out)
	if err := p.backfillSources(r.Progress); err != nil {
		return err
	}
	p.backfillReasons(r.Reasons)
	p.backfillErrors(r)
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

func (p *program) backfillSources(all []api.BackfillProgress) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SITE\tSTATE\tFOUND\tNEW\tKNOWN\tERRORS\tNOTE")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", clean(s.Source), clean(s.State), thousands(s.Discovered), thousands(s.Queued),
			thousands(s.Skipped), thousands(s.Errors), clean(s.Note))
	}
	return w.Flush()
}

// backfillReasons lists why addresses were passed over, the most frequent first.
func (p *program) backfillReasons(reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	p.say("\npassed over")
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		p.say("  %s  %s", thousands(reasons[why]), clean(why))
	}
}

func (p *program) backfillErrors(r api.BackfillRun) {
	if r.Errors == 0 {
		return
	}
	p.say("\n%s", count(r.Errors, "error"))
	for _, e := range r.ErrorLog {
		p.say("  %s  %s", stamp(e.At), strings.Join(strings.Fields(clean(e.Source+"  "+e.URL+"  "+e.Message)), " "))
	}
	if more := r.Errors - len(r.ErrorLog); more > 0 {
		p.say("  and %s more", thousands(more))
	}
}

func (p *program) backfillSitesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "sites",
		Short:   "List the sites of the server's site file",
		Example: "  tidemark backfill sites",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.backfillSites(cmd.Context()) },
	}
}

func (p *program) backfillSites(ctx context.Context) error {
	list, err := p.client().BackfillSites(ctx)
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
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SITE\tDOMAIN\tMODES")
	for _, s := range list.Sites {
		fmt.Fprintf(w, "%s\t%s\t%s\n", clean(s.Slug), clean(s.Domain), clean(strings.ToLower(strings.Join(s.Modes, ", "))))
	}
	return w.Flush()
}

const backfillResumeLong = `Let a run go on that is paused or failed. One that failed asks again for what could
not be read, and counts nothing twice.`

const backfillCancelLong = `End a run before its next step. What it has registered stays registered.`

// backfillDo is a command that does one thing with a run.
func (p *program) backfillDo(verb, short, long string, do func(*api.Client, context.Context, string) (api.BackfillRun, error)) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " RUN",
		Short:   short,
		Long:    long,
		Example: "  tidemark backfill " + verb + " backfill-20260301t120002z-0f3a…",
		Args:    one("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := do(p.client(), cmd.Context(), args[0])
			if err == nil {
				p.say("%s is %s; `%s backfill show %s` tells what it came to", clean(run.ID), clean(run.Status), p.name(), clean(run.ID))
			}
			return err
		},
	}
}
