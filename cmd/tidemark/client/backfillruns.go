package client

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/tidemark/tidemark/pkg/form"
)

const backfillListHelp = `list
List runs and their progress, newest first

  tidemark backfill list
  tidemark backfill list --top 100`

func backfillListCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.BackfillQuery
	cmd := command.New(backfillListHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if q.Top < 1 || q.Top > 100 {
			return command.Usagef("--top is %d: give 1 to 100", q.Top)
		}
		list, err := api.ListBackfills.Call(ctx, s.Client(), q)
		if err != nil {
			return err
		}
		return terminal.List(t, list.Runs, "no runs", "RUN\tBEGUN\tSTATUS\tFOUND\tNEW\tERRORS\tSITES",
			func(r api.BackfillRun) string {
				return terminal.Row(r.ID, words.Ago(t.Now(), r.CreatedAt), statusOf(r), r.Discovered, r.Queued, r.Errors,
					strings.Join(r.Sources, ", "))
			})
	})
	cmd.Flags().IntVar(&q.Top, "top", 20, "how many, up to 100")
	cmd.Flags().StringVar(&q.Continuation, "before", "", "only runs older than the one with this `ID`")
	return cmd
}

// statusOf returns the status of a run as text, which also says whether the run only counts pages.
func statusOf(r api.BackfillRun) string {
	return r.Status + terminal.When(r.DryRun, " (dry run)")
}

const backfillShowHelp = `show RUN
Show a run, or follow it

Show a run: its request, the results of each site, the addresses that were skipped
and why, and the errors. With --watch, follow the run until it ends or is paused.

  tidemark backfill show backfill-20260301t120002z-0f3a…
  tidemark backfill show --watch backfill-20260301t120002z-0f3a…`

func backfillShowCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var watch bool
	var interval time.Duration
	cmd := command.New(backfillShowHelp, command.One("run"), func(ctx context.Context, args []string) error {
		if err := command.CheckInterval(interval); err != nil {
			return err
		}
		run, err := api.GetBackfill.Call(ctx, s.Client(), api.BackfillID{ID: args[0]})
		switch {
		case err != nil:
			return err
		case watch:
			return followBackfill(ctx, t, s, run, interval)
		}
		return showBackfill(t, run)
	})
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
	err := terminal.Table(t.Out, backfillSources(r.Progress)...)
	backfillReasons(t, r.Reasons)
	backfillErrors(t, r)
	return err
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

func backfillSources(all []api.BackfillProgress) []string {
	rows := []string{"SITE\tSTATE\tFOUND\tNEW\tKNOWN\tERRORS\tNOTE"}
	for _, s := range all {
		rows = append(rows, terminal.Row(s.Source, s.State, s.Discovered, s.Queued, s.Skipped, s.Errors, s.Note))
	}
	return rows
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
	more := r.Errors - len(r.ErrorLog)
	t.SayWhen(more > 0, "  and %s more", words.Thousands(more))
}

func backfillSitesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	const help = "sites\nList the sites of the server's site file\n\n  tidemark backfill sites"
	return command.New(help, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		list, err := api.ListBackfillSites.Call(ctx, s.Client(), api.None{})
		if err != nil {
			return err
		}
		t.NoteWhen(!list.Enabled && !t.JSON, "backfill is disabled on this server: it needs BACKFILL_ENABLED=true")
		return terminal.List(t, list.Sites, "no sites: the server has no site file, see BACKFILL_SITES_FILE",
			"SITE\tDOMAIN\tMODES", func(s api.BackfillSite) string {
				return terminal.Row(s.Slug, s.Domain, strings.ToLower(strings.Join(s.Modes, ", ")))
			})
	})
}

const backfillPauseHelp = "Pause a run before its next step"

const backfillResumeHelp = `Resume a paused or failed run

Resume a paused or failed run. A failed run tries again what it could not read, and
counts nothing twice.`

const backfillCancelHelp = `End a run before its next step

End a run before its next step. The pages it has registered stay registered.`

// backfillDo makes a command that performs one action on a run.
func backfillDo(t *terminal.Terminal, s *command.Server, verb, help string,
	route api.Route[api.BackfillID, api.BackfillRun]) *cobra.Command {
	help = verb + " RUN\n" + help + "\n\n  tidemark backfill " + verb + " backfill-20260301t120002z-0f3a…"
	return asked(s, help, command.One("run"), route, func(run api.BackfillRun) {
		t.Say("%s is %s; `%s backfill show %[1]s` shows its result", terminal.Clean(run.ID), terminal.Clean(run.Status),
			t.Name)
	})
}

const backfillHelp = `backfill
Register the pages that sites already have

Register the pages that a site already has, from its sitemaps, archives, listings or
containers. Pages that are already registered are not changed, and the site is
never asked faster than usual.

The sites are listed in the server's site file. The server needs
BACKFILL_ENABLED=true.

  tidemark backfill sites
  tidemark backfill run --source port-authority --dry-run
  tidemark backfill run --source port-authority
  tidemark backfill list`

func backfillCommand(t *terminal.Terminal, s *command.Server, user string) *cobra.Command {
	return command.Group(backfillHelp, backfillRunCommand(t, s, user), backfillListCommand(t, s),
		backfillShowCommand(t, s), backfillSitesCommand(t, s),
		backfillDo(t, s, "pause", backfillPauseHelp, api.PauseBackfill),
		backfillDo(t, s, "resume", backfillResumeHelp, api.ResumeBackfill),
		backfillDo(t, s, "cancel", backfillCancelHelp, api.CancelBackfill))
}

const backfillRunHelp = `run --source SITE…
Start a run and follow it

Start a run and follow it to its end. The run continues on the server when Ctrl-C
stops this command.

With --dry-run nothing is registered or queued; the pages are only counted. The
report goes to standard output, the progress to standard error. The exit code is 1
if the run failed, was cancelled or was paused.

  tidemark backfill run --source port-authority --dry-run
  tidemark backfill run --source port-authority --source harbor-library --max-urls 500
  tidemark backfill run --source port-authority --mode archive --date-from 2020-01-01 --date-to 2024-12-31
  tidemark backfill run --source port-authority --detach`

func backfillRunCommand(t *terminal.Terminal, s *command.Server, user string) *cobra.Command {
	var detach bool
	var interval time.Duration
	var set *changes
	cmd := command.New(backfillRunHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		req := api.BackfillRequest{RunBy: user}
		if err := errors.Join(into(&req, set), command.CheckInterval(interval)); err != nil {
			return err
		}
		if len(req.Sources) == 0 {
			return command.Usagef("name a site with --source; `backfill sites` lists them")
		}
		run, err := api.StartBackfill.Call(ctx, s.Client(), req)
		if err == nil && !detach {
			return followBackfill(ctx, t, s, run, interval)
		}
		t.SayWhen(err == nil, "%s has begun; `%s backfill show --watch %[1]s` follows it", terminal.Clean(run.ID), t.Name)
		return err
	})
	set = changesOf(cmd.Flags(), form.Of[api.BackfillRequest]())
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "do not follow the run")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often to poll")
	return cmd
}
