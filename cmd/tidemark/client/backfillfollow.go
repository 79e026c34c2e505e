package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// followBackfill shows the progress of a run until it has ended, and then its result.
func followBackfill(ctx context.Context, t *terminal.Terminal, s *command.Server, run api.BackfillRun,
	interval time.Duration) (err error) {
	client, v := s.Client(), &terminal.View{Out: t.Err, Screen: t.Notes, Silent: t.JSON}
	err = terminal.Follow(ctx, t, interval, terminal.After(run, func() (api.BackfillRun, error) {
		return api.GetBackfill.Call(ctx, client, api.BackfillID{ID: run.ID})
	}), func(now api.BackfillRun) bool {
		run = now
		v.Show(t.Now(), func() string { return backfillLine(run) }, func() []string { return backfillPicture(run, v.Screen) })
		return run.Over() || run.Status == api.BackfillPaused
	})
	v.Close() // the result is printed in words
	if err == nil {
		return backfillEnded(t, run)
	}
	what := "goes on"
	if ctx.Err() == nil {
		what = "may go on"
	}
	t.Note("the run %s: follow it with `%s backfill show --watch %s`, end it with `%s backfill cancel %s`", what, t.Name,
		run.ID, t.Name, run.ID)
	return err
}

// backfillEnded prints the result of a run that has ended.
func backfillEnded(t *terminal.Terminal, run api.BackfillRun) error {
	for _, line := range run.Report {
		t.Say("%s", terminal.Clean(line))
	}
	switch run.Status {
	case api.BackfillCompleted:
		if run.Errors > 0 {
			t.Note("%s; `%s backfill show %s` lists them", words.Count(run.Errors, "error"), t.Name, terminal.Clean(run.ID))
		}
		return nil
	case api.BackfillFailed:
		return fmt.Errorf("the run failed: %s; `%s backfill resume %s` goes on where it ended", terminal.Clean(run.Note),
			t.Name,
			terminal.Clean(run.ID))
	case api.BackfillPaused:
		return fmt.Errorf("the run is paused: %s; `%s backfill resume %s` lets it go on", terminal.Clean(run.Note), t.Name,
			terminal.Clean(run.ID))
	}
	return errors.New("the run was cancelled")
}

// backfillLine describes the progress of a run and why its sites wait.
func backfillLine(run api.BackfillRun) string {
	line := backfillProgress(run)
	for _, s := range run.Progress {
		if s.Note != "" && s.State == "running" {
			line += "; " + terminal.Clean(s.Source) + " " + terminal.Clean(s.Note)
		}
	}
	return line
}

// watchedSites is the number of sites that fit on one screen.
const watchedSites = 12

// backfillPicture draws a bar, and a line for each site.
func backfillPicture(run api.BackfillRun, s terminal.Screen) []string {
	lines := []string{terminal.Frame(s, "found", run.Discovered, run.Most()), backfillCounts(run.BackfillCounts)}
	for i, s := range run.Progress {
		if i == watchedSites {
			lines = append(lines, fmt.Sprintf("  and %d more", len(run.Progress)-i))
			break
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %-7s  %s  %s  %s", terminal.Clean(s.State),
			terminal.Clean(s.Source),
			words.Thousands(s.Discovered), terminal.Clean(s.Note)), " "))
	}
	return lines
}

// backfillProgress describes a run in one line. Once everything is found, the line omits the limit on the number of
// pages.
func backfillProgress(run api.BackfillRun) string {
	found := words.Thousands(run.Discovered)
	if !run.Whole() {
		found += " of at most " + words.Thousands(run.Most())
	}
	return fmt.Sprintf("%s found: %s", found, backfillCounts(run.BackfillCounts))
}

// backfillCounts describes in words what was found.
func backfillCounts(c api.BackfillCounts) string {
	parts := []string{words.Thousands(c.Queued) + " new", words.Thousands(c.Skipped) + " known"}
	for _, o := range []struct {
		n    int
		what string
	}{{c.Refused, "refused"}, {c.Excluded, "not wanted"}, {c.Trapped, "traps"}, {c.Duplicates, "found again"}} {
		if o.n > 0 {
			parts = append(parts, words.Thousands(o.n)+" "+o.what)
		}
	}
	return strings.Join(append(parts, words.Count(c.Errors, "error")), ", ")
}
