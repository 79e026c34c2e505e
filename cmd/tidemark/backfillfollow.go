package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// followBackfill tells how far a run is until it goes on no longer, and then what it came to. Between
// its looks the server may be away for a while, as in an update.
func (p *program) followBackfill(ctx context.Context, run api.BackfillRun, interval time.Duration) (err error) {
	client, view, failed := p.client(), p.backfillView(), 0
	for {
		view.show(run, p.now())
		if run.Over() || run.Status == api.BackfillPaused {
			view.close()
			return p.backfillEnded(run)
		}
		if err := p.sleep(ctx, interval); err != nil {
			return p.leaveBackfill(ctx, view, run.ID, err)
		}
		next, err := client.BackfillRun(ctx, run.ID)
		switch {
		case err == nil:
			run, failed = next, 0
		case ctx.Err() != nil || failed+1 >= patience:
			return p.leaveBackfill(ctx, view, run.ID, err)
		default:
			failed++
		}
	}
}

// leaveBackfill says how to get back to a run that goes on.
func (p *program) leaveBackfill(ctx context.Context, view backfillView, id string, err error) error {
	view.close()
	what := "goes on"
	if ctx.Err() == nil {
		what = "may go on"
	}
	p.note("the run %s: follow it with `%s backfill show --watch %s`, end it with `%s backfill cancel %s`", what, p.name(), id, p.name(), id)
	return err
}

// backfillEnded reports a run that goes on no longer.
func (p *program) backfillEnded(run api.BackfillRun) error {
	for _, line := range run.Report {
		p.say("%s", clean(line))
	}
	switch run.Status {
	case api.BackfillCompleted:
		if run.Errors > 0 {
			p.note("%s; `%s backfill show %s` lists them", count(run.Errors, "error"), p.name(), clean(run.ID))
		}
		return nil
	case api.BackfillFailed:
		return fmt.Errorf("the run failed: %s; `%s backfill resume %s` goes on where it ended", clean(run.Note), p.name(), clean(run.ID))
	case api.BackfillPaused:
		return fmt.Errorf("the run is paused: %s; `%s backfill resume %s` lets it go on", clean(run.Note), p.name(), clean(run.ID))
	}
	return errors.New("the run was cancelled")
}

// backfillView shows the progress of a run on standard error.
type backfillView interface {
	show(run api.BackfillRun, now time.Time)
	close()
}

func (p *program) backfillView() backfillView {
	switch {
	case p.json:
		return noBackfillView{}
	case p.notes.terminal:
		return &liveBackfill{canvas{out: p.err, screen: p.notes}}
	}
	return &plainBackfill{out: p.err}
}

type noBackfillView struct{}

func (noBackfillView) show(api.BackfillRun, time.Time) {}
func (noBackfillView) close()                          {}

// plainBackfill writes a line whenever a number or a note changed.
type plainBackfill struct {
	out  io.Writer
	last string
}

func (v *plainBackfill) show(run api.BackfillRun, now time.Time) {
	line := backfillProgress(run)
	for _, s := range run.Progress {
		if s.Note != "" && s.State == "running" {
			line += "; " + clean(s.Source) + " " + clean(s.Note)
		}
	}
	if line != v.last {
		fmt.Fprintf(v.out, "%s  %s\n", now.UTC().Format(time.TimeOnly), line)
	}
	v.last = line
}

func (*plainBackfill) close() {}

// liveBackfill draws a bar and a line for each site.
type liveBackfill struct{ canvas }

// watchedSites keeps the picture on one screen.
const watchedSites = 12

func (v *liveBackfill) show(run api.BackfillRun, _ time.Time) {
	bar := newBar(io.Discard, backfillCap(run), "found", v.screen)
	bar.Set(run.Discovered)
	lines := []string{strings.TrimSpace(lastFrame(bar)), backfillCounts(run.BackfillCounts)}
	for i, s := range run.Progress {
		if i == watchedSites {
			lines = append(lines, fmt.Sprintf("  and %d more", len(run.Progress)-i))
			break
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %-7s  %s  %s  %s", clean(s.State), clean(s.Source), thousands(s.Discovered), clean(s.Note)), " "))
	}
	for i, l := range lines {
		lines[i] = cut(l, v.screen.width)
	}
	v.draw(lines)
}

// close takes the picture away: what the run came to is said in words.
func (v *liveBackfill) close() { v.draw(nil) }

// backfillCap is the most that a run can find.
func backfillCap(run api.BackfillRun) int {
	return max(1, min(run.MaxURLs, run.MaxURLsPerSource*len(run.Sources)))
}

// backfillProgress is a run in one line.
func backfillProgress(run api.BackfillRun) string {
	return fmt.Sprintf("%s of at most %s found: %s", thousands(run.Discovered), thousands(backfillCap(run)), backfillCounts(run.BackfillCounts))
}

// backfillCounts is what was found, in words.
func backfillCounts(c api.BackfillCounts) string {
	parts := []string{thousands(c.Queued) + " new", thousands(c.Skipped) + " known"}
	for _, o := range []struct {
		n    int
		what string
	}{{c.Refused, "refused"}, {c.Excluded, "not wanted"}, {c.Trapped, "traps"}, {c.Duplicates, "found again"}} {
		if o.n > 0 {
			parts = append(parts, thousands(o.n)+" "+o.what)
		}
	}
	return strings.Join(append(parts, count(c.Errors, "error")), ", ")
}
