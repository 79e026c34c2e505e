package client

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

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
