package client

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
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

// backfilling holds the arguments and flags of "backfill run".
type backfilling struct {
	request  api.BackfillRequest
	delay    time.Duration
	detach   bool
	interval time.Duration
}

func backfillRunCommand(t *terminal.Terminal, s *command.Server, user string) *cobra.Command {
	b := backfilling{request: api.BackfillRequest{RunBy: user}}
	cmd := &cobra.Command{
		Use:     "run --source SITE…",
		Short:   "Start a run and follow it",
		Long:    backfillRunLong,
		Example: backfillRunExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return backfillRun(cmd.Context(), t, s, b)
		},
	}
	f, r := cmd.Flags(), &b.request
	f.StringSliceVar(&r.Sources, "source", nil, "`SITE` of the site file; may be repeated")
	f.StringVar(&r.Mode, "mode", "",
		"where to find pages: sitemap, archive, pagination, container or links (default sitemap)")
	f.BoolVar(&r.DryRun, "dry-run", false, "count what would be registered, and register nothing")
	f.IntVar(&r.MaxURLs, "max-urls", 0, "largest number of pages (default, and at most, BACKFILL_MAX_URLS_PER_RUN)")
	f.IntVar(&r.MaxURLsPerSource, "max-per-source", 0,
		"largest number of pages of each site (default, and at most, BACKFILL_MAX_URLS_PER_SOURCE)")
	f.IntVar(&r.Concurrency, "concurrency", 0, "sites at once (default, and at most, BACKFILL_MAX_CONCURRENCY)")
	f.DurationVar(&b.delay, "delay", 0, "pause between two documents of a site, in addition to the site's own pace")
	f.StringVar(&r.DateFrom, "date-from", "", "only pages that changed since this `DATE`, such as 2024-06-30")
	f.StringVar(&r.DateTo, "date-to", "", "only pages that changed until the end of this `DATE`")
	f.StringVar(&r.RunBy, "run-by", r.RunBy, "your name, for the record (default USER)")
	f.BoolVarP(&b.detach, "detach", "d", false, "do not follow the run")
	f.DurationVar(&b.interval, "interval", time.Second, "how often to poll")
	f.Lookup("run-by").DefValue = "" // the text of the help must be the same for every user
	return cmd
}

func backfillRun(ctx context.Context, t *terminal.Terminal, s *command.Server, b backfilling) error {
	if err := b.check(); err != nil {
		return err
	}
	b.request.Mode, b.request.DelayMS = strings.ToUpper(b.request.Mode), int(b.delay.Milliseconds())
	run, err := api.StartBackfill.Call(ctx, s.Client(), b.request)
	if err != nil {
		return err
	}
	if b.detach {
		t.Say("%s has begun; `%s backfill show --watch %s` follows it", terminal.Clean(run.ID), t.Name,
			terminal.Clean(run.ID))
		return nil
	}
	return followBackfill(ctx, t, s, run, b.interval)
}

func (b *backfilling) check() error {
	switch {
	case len(b.request.Sources) == 0:
		return command.Usagef("name a site with --source; `backfill sites` lists them")
	case b.request.MaxURLs < 0:
		return command.Usagef("--max-urls is %d: give a positive number", b.request.MaxURLs)
	case b.request.MaxURLsPerSource < 0:
		return command.Usagef("--max-per-source is %d: give a positive number", b.request.MaxURLsPerSource)
	case b.delay < 0 || b.delay > time.Hour:
		return command.Usagef("--delay is %s: give 0s to 1h", b.delay)
	}
	return command.CheckInterval(b.interval)
}
