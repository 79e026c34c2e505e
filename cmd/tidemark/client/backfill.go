package client

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

const backfillLong = `Register the pages that a site already has, from its sitemaps, archives, listings or
containers. Pages that are already registered are not changed, and the site is
never asked faster than usual.

The sites are listed in the server's site file. The server needs
BACKFILL_ENABLED=true.`

const backfillExample = `  tidemark backfill sites
  tidemark backfill run --source port-authority --dry-run
  tidemark backfill run --source port-authority
  tidemark backfill list`

func backfillCommand(t *terminal.Terminal, s *command.Server, user string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "backfill",
		Short:   "Register the pages that sites already have",
		Long:    backfillLong,
		Example: backfillExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(backfillRunCommand(t, s, user), backfillListCommand(t, s), backfillShowCommand(t, s),
		backfillSitesCommand(t, s),
		backfillDo(t, s, "pause", "Pause a run before its next step", "", api.PauseBackfill),
		backfillDo(t, s, "resume", "Resume a paused or failed run", backfillResumeLong, api.ResumeBackfill),
		backfillDo(t, s, "cancel", "End a run before its next step", backfillCancelLong, api.CancelBackfill))
	return cmd
}

const backfillRunLong = `Start a run and follow it to its end. The run continues on the server when Ctrl-C
stops this command.

With --dry-run nothing is registered or queued; the pages are only counted. The
report goes to standard output, the progress to standard error. The exit code is 1
if the run failed, was cancelled or was paused.`

const backfillRunExample = `  tidemark backfill run --source port-authority --dry-run
  tidemark backfill run --source port-authority --source harbor-library --max-urls 500
  tidemark backfill run --source port-authority --mode archive --date-from 2020-01-01 --date-to 2024-12-31
  tidemark backfill run --source port-authority --detach`

func backfillRunCommand(t *terminal.Terminal, s *command.Server, user string) *cobra.Command {
	var detach bool
	var interval time.Duration
	var set *changes
	cmd := &cobra.Command{
		Use:     "run --source SITE…",
		Short:   "Start a run and follow it",
		Long:    backfillRunLong,
		Example: backfillRunExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := api.BackfillRequest{RunBy: user}
			if err := errors.Join(into(&req, set), command.CheckInterval(interval)); err != nil {
				return err
			}
			if len(req.Sources) == 0 {
				return command.Usagef("name a site with --source; `backfill sites` lists them")
			}
			run, err := api.StartBackfill.Call(cmd.Context(), s.Client(), req)
			if err != nil {
				return err
			}
			if detach {
				t.Say("%s has begun; `%s backfill show --watch %[1]s` follows it", terminal.Clean(run.ID), t.Name)
				return nil
			}
			return followBackfill(cmd.Context(), t, s, run, interval)
		},
	}
	set = changesOf(cmd.Flags(), form.Of[api.BackfillRequest]())
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "do not follow the run")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often to poll")
	return cmd
}
