package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// watchedHosts is the number of hosts that fit on one screen.
const watchedHosts = 12

// progress follows a backlog until it is empty. Because work may be added meanwhile, the amount of work done is
// computed from the peak: the largest backlog since the backlog was last empty.
type progress struct {
	left, peak int
	from       time.Time // time at which the peak was seen
}

// see records the size of the backlog at a time.
func (g *progress) see(left int, now time.Time) {
	if left > g.peak {
		g.peak, g.from = left, now
	}
	g.left = left
}

// done returns how much of the peak is finished.
func (g *progress) done() int { return g.peak - g.left }

// eta estimates the remaining time from the pace since the peak. It returns false while no pace is known.
func (g *progress) eta(now time.Time) (left time.Duration, ok bool) {
	passed := now.Sub(g.from)
	if g.done() <= 0 || passed <= 0 {
		return 0, false
	}
	return time.Duration(float64(passed) / float64(g.done()) * float64(g.left)), true
}

// line is the progress in words and, on a terminal, as a bar. Without a backlog it is over, unless there
// is other work.
func (g *progress) line(s terminal.Screen, work []string, now time.Time) string {
	switch {
	case g.left == 0 && len(work) > 0:
		return "nothing is due yet; more may come"
	case g.left == 0:
		return "all done"
	}
	text := terminal.Frame(s, "checked", g.done(), g.peak)
	if eta, ok := g.eta(now); ok {
		text += "  about " + words.Span(max(eta, time.Second)) + " left"
	}
	return text
}

// watchStatus polls until nothing is due or in flight, and no unfinished work could add due items. The status
// includes rebuilds. Requests about other kinds of work are sent only when there is no backlog.
func watchStatus(ctx context.Context, t *terminal.Terminal, s *command.Server, host string,
	interval time.Duration) error {
	v, g := &terminal.View{Out: t.Out, Screen: t.Screen, Silent: t.JSON}, &progress{}
	client := s.Client()
	var work []string
	return terminal.Follow(ctx, t, interval, func() (api.SearchStatus, error) {
		st, err := api.GetStatus.Call(ctx, client, api.StatusQuery{Host: host})
		work = rebuildLines(st)
		if err == nil && st.Backlog() == 0 {
			work, err = otherWork(ctx, s, st, host)
		}
		return st, err
	}, func(st api.SearchStatus) bool {
		g.see(st.Backlog(), t.Now())
		v.Show(t.Now(), func() string {
			return strings.Join(slices.Concat([]string{backlog(st.Counts, work), summary(st.Counts)}, heldUp(st, t.Now()),
				work), "; ")
		}, func() []string { return g.picture(st, v.Screen, work, t.Now()) })
		return st.Backlog() == 0 && len(work) == 0
	})
}

// picture returns the table of hosts with the progress below it, to be drawn again and again.
func (g *progress) picture(st api.SearchStatus, s terminal.Screen, work []string, now time.Time) []string {
	return append(statusLines(st, work, now, watchedHosts), "", g.line(s, work, now))
}

// otherWork describes, one per line, the unfinished work other than checks: rebuilds, backfills and mail imports.
// Such work makes items due as it proceeds, so a watch must wait for it. If host is not empty, otherWork leaves out
// imports, and backfills that have no site on that host. With --json the server's answers to these requests are not
// printed.
func otherWork(ctx context.Context, s *command.Server, st api.SearchStatus, host string) ([]string, error) {
	lines := rebuildLines(st)
	client := s.Silent()
	runs, err := api.ListBackfills.Call(ctx, client, api.BackfillQuery{Top: 0, Continuation: ""})
	if err != nil {
		return nil, err
	}
	for _, r := range runs.Runs {
		if r.Status != api.BackfillPending && r.Status != api.BackfillRunning {
			continue
		}
		switch here, err := backfillsHost(ctx, client, r, host); {
		case err != nil:
			return nil, err
		case here:
			lines = append(lines, fmt.Sprintf("backfilling %s: %s", terminal.Clean(strings.Join(r.Sources, ", ")),
				backfillProgress(r)))
		}
	}
	if host != "" {
		return lines, nil
	}
	imports, err := api.ListImports.Call(ctx, client, api.ImportQuery{Top: 0})
	for _, i := range imports.Imports {
		if !i.Over() {
			lines = append(lines, fmt.Sprintf("importing %s: %s so far", terminal.Clean(i.MboxPath), words.Count(i.Mails,
				"mail")))
		}
	}
	return lines, err
}

// backfillsHost reports whether a run has a site on the given host, or any site if the host is empty.
func backfillsHost(ctx context.Context, client *api.Client, run api.BackfillRun,
	host string) (bool, error) {
	if host == "" {
		return true, nil
	}
	list, err := api.ListBackfillSites.Call(ctx, client, api.None{})
	return slices.ContainsFunc(list.Sites, func(s api.BackfillSite) bool {
		return s.Domain == host && slices.Contains(run.Sources, s.Slug)
	}), err
}

// rebuildLines describes the rebuilds in a status.
func rebuildLines(st api.SearchStatus) (lines []string) {
	for _, r := range st.Rebuilds {
		lines = append(lines, rebuildLine(r))
	}
	return lines
}
