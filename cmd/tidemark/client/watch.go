package client

import (
	"context"
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
			return strings.Join(append([]string{backlog(st.Counts, work), summary(st.Counts)}, work...), "; ")
		}, func() []string { return g.picture(st, v.Screen, work, t.Now()) })
		return st.Backlog() == 0 && len(work) == 0
	})
}

// picture returns the table of hosts with the progress below it, to be drawn again and again.
func (g *progress) picture(st api.SearchStatus, s terminal.Screen, work []string, now time.Time) []string {
	return append(statusLines(st, work, now, watchedHosts), "", g.line(s, work, now))
}
