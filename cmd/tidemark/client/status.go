package client

import (
	"cmp"
	"context"
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
)

const statusHelp = `status
Show how up to date the index is

Show how up to date the index is: how many sources have which status, how many wait
for a check, how often checks found a change or failed, which hosts cannot be reached,
and which watches are broken.

With --watch, the status is updated until nothing waits and no work is unfinished,
including rebuilds, backfills and imports. The exit code is then 0. Pages of a host
that cannot be reached or is paused wait for it; the status says for which and until when.

  tidemark status
  tidemark status --host example.com
  tidemark add --file urls.txt && tidemark status --watch`

func statusCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var host string
	var watch bool
	var interval time.Duration
	cmd := command.New(statusHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if err := command.CheckInterval(interval); err != nil {
			return err
		}
		if watch {
			return watchStatus(ctx, t, s, host, interval)
		}
		return showStatus(ctx, t, s, host)
	})
	f := cmd.Flags()
	command.HostFlag(f, &host, "only this `HOST`")
	f.BoolVarP(&watch, "watch", "w", false, "continue until nothing is left to do")
	f.DurationVar(&interval, "interval", time.Second, "how often --watch polls")
	return cmd
}

func showStatus(ctx context.Context, t *terminal.Terminal, s *command.Server, host string) error {
	st, err := api.GetStatus.Call(ctx, s.Client(), api.StatusQuery{Host: host})
	if err != nil || t.JSON {
		return err
	}
	work, err := otherWork(ctx, s, st, host)
	if err != nil {
		return err
	}
	t.Say("%s", strings.Join(statusLines(st, work, t.Now(), 0), "\n"))
	return sayWatches(ctx, t, s, host)
}

// statusLines returns the whole report. It lists at most the given number of hosts, or all hosts if that number is 0.
func statusLines(st api.SearchStatus, work []string, now time.Time, hosts int) []string {
	lines := []string{summary(st.Counts), fmt.Sprintf("%s; of recent checks %s found a change, %s failed",
		backlog(st.Counts, work), words.Percent(st.ChangeRate), words.Percent(st.ErrorRate))}
	lines = append(lines, heldUp(st, now)...)
	if !st.AsOf.IsZero() && now.Sub(st.AsOf) > time.Minute {
		lines = append(lines, "as of "+words.Relative(now, st.AsOf))
	}
	if r := st.Renders; r != nil {
		lines = append(lines, renderedPages(*r))
	}
	if g := st.Generations; g != nil && g.Building != nil {
		b := g.Building
		lines = append(lines, fmt.Sprintf("building the generation %s of the index: %s", terminal.Clean(b.ID),
			progressText(b.Done, b.Of, b.Until, now)))
	}
	lines = append(lines, work...)
	if len(st.Hosts) == 0 {
		return lines
	}
	return append(append(lines, ""), hostTable(st.Hosts, now, hosts)...)
}

// summary counts items by status. Statuses that this program does not know come last.
func summary(c api.Counts) string {
	known := api.Statuses()
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Items)), func(s api.Status) bool {
		return slices.Contains(known, s)
	})
	parts := []string{words.Count(c.Total(), "source")}
	for _, s := range append(known, others...) {
		n := c.Items[s]
		parts = append(parts, terminal.When(n > 0, "%s %s", terminal.Clean(string(s)), words.Thousands(n)))
	}
	return terminal.Join(" · ", parts...)
}

// backlog describes how many items wait. If none waits, the text depends on whether other unfinished work may add
// items.
func backlog(c api.Counts, work []string) string {
	switch {
	case c.Backlog() == 0 && len(work) > 0:
		return "nothing is due yet"
	case c.Backlog() == 0:
		return "nothing waits"
	}
	return fmt.Sprintf("%s due, %s in flight", words.AtLeast(c.Due, c.DueAtLeast), words.Thousands(c.InFlight))
}

// renderedPages says what browsers cost, and how often none was needed.
func renderedPages(r api.Renders) string {
	text := "since the server started: " + words.Count(r.Pages, "page") + " rendered"
	text += terminal.When(r.Pages > 0, ", %.1f s each on average, %s failed", r.MeanSeconds,
		words.Thousands(r.Failed))
	return text + "; " + words.Percent(r.SparedShare()) + " of the checks of pages that may be rendered used no browser"
}

// hostTable lists hosts, those with the largest backlog first.
func hostTable(hosts []api.HostStatus, now time.Time, most int) []string {
	hosts = slices.Clone(hosts)
	slices.SortStableFunc(hosts, func(a, b api.HostStatus) int {
		return cmp.Or(cmp.Compare(b.Backlog(), a.Backlog()), cmp.Compare(a.Host, b.Host))
	})
	left := 0
	if most > 0 && len(hosts) > most {
		left, hosts = len(hosts)-most, hosts[:most]
	}
	rows := []string{"HOST\tSOURCES\tINDEXED\tERROR\tDUE\tIN FLIGHT\tCHANGED\tFAILED"}
	for _, h := range hosts {
		rows = append(rows, hostRow(h, now))
	}
	var b strings.Builder
	_ = terminal.Table(&b, rows...) // writes to a Builder cannot fail
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if left > 0 {
		lines = append(lines, "and "+words.Count(left, "more host"))
	}
	return lines
}

func hostRow(h api.HostStatus, now time.Time) string {
	why := terminal.Join(": ", words.Relative(now, h.PausedUntil), terminal.Clean(h.PauseReason))
	return terminal.Row(h.Host, h.Total(), h.Items[api.StatusIndexed], h.Items[api.StatusError],
		words.AtLeast(h.Due, h.DueAtLeast), h.InFlight,
		words.Percent(h.ChangeRate), words.Percent(h.ErrorRate)) +
		terminal.When(h.PausedUntil.After(now), "  paused, goes on %s", why)
}

const healthHelp = `health
Check whether the server can work

Check whether a server and everything it depends on can work. The exit code is 0 if
they can. It is 1 if they cannot, or if there is no answer within ten seconds. Use it
as a healthcheck for containers and monitors. It needs no key.

  tidemark health
  tidemark health --server https://tidemark.example`

func healthCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(healthHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		h, err := api.GetHealth.Call(ctx, s.Client(), api.None{})
		if err != nil {
			return err
		}
		t.Say("%s: storage %s, index %s", h.Status, h.Storage, h.Index)
		for _, warning := range h.Warnings {
			t.Say("%s", warning)
		}
		if !h.Works() {
			return command.ErrReported
		}
		return nil
	})
}

// mostBroken limits how many broken watches a status lists.
const mostBroken = 20

// sayWatches reports the watches that are broken and the tags that have settings.
func sayWatches(ctx context.Context, t *terminal.Terminal, s *command.Server, host string) error {
	broken, more, err := s.Silent().BrokenWatches(ctx, host, mostBroken)
	if err != nil {
		return err
	}
	for i, it := range broken {
		if i == 0 {
			t.Say("\nbroken watches: %s", words.Thousands(len(broken)))
		}
		t.Say("  %s: %s", nameOf(it), terminal.Clean(it.WatchProblem()))
	}
	if more {
		t.Say("  there may be more: `%s changes --kind watchBroken` lists all that broke", t.Name)
	}
	if host != "" {
		return nil
	}
	tags, err := api.ListTags.Call(ctx, s.Silent(), api.None{})
	if err != nil {
		return err
	}
	for i, tag := range tags.Tags {
		if i == 0 {
			t.Say("\ntags with settings:")
		}
		t.Say("  %s: %s", terminal.Clean(tag.Name), inWords(tag.TagSettings))
	}
	return nil
}
