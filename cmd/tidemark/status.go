package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const statusLong = `Tell how far the index is from being true: how many sources have which status,
how many wait for a check, and how often checks found a change or failed.

With --watch it goes on telling until nothing waits and nothing is being worked
on, and then ends with exit code 0.`

const statusExample = `  tidemark status
  tidemark status --host example.com
  tidemark add --file urls.txt && tidemark status --watch`

func (p *program) statusCommand() *cobra.Command {
	var host string
	var watch bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell how far the index is from being true",
		Long:    statusLong,
		Example: statusExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkInterval(interval); err != nil {
				return err
			}
			if watch {
				return p.watch(cmd.Context(), host, interval)
			}
			return p.status(cmd.Context(), host)
		},
	}
	f := cmd.Flags()
	hostFlag(f, &host, "only this `HOST`")
	f.BoolVarP(&watch, "watch", "w", false, "go on until nothing is left to do")
	f.DurationVar(&interval, "interval", time.Second, "how often --watch looks")
	return cmd
}

func (p *program) status(ctx context.Context, host string) error {
	st, err := p.client().Status(ctx, host)
	if err != nil {
		return err
	}
	for _, line := range statusLines(st, p.now(), 0) {
		p.say("%s", line)
	}
	return nil
}

// statusLines is the whole report. At most hosts hosts are listed, all of them when it is 0.
func statusLines(st api.SearchStatus, now time.Time, hosts int) []string {
	lines := []string{summary(st.Counts), backlog(st.Counts) + "; " + rates(st.Counts)}
	if !st.AsOf.IsZero() && now.Sub(st.AsOf) > time.Minute {
		lines = append(lines, "as of "+relative(now, st.AsOf))
	}
	for _, r := range st.Rebuilds {
		lines = append(lines, rebuildLine(r))
	}
	if len(st.Hosts) == 0 {
		return lines
	}
	return append(append(lines, ""), hostTable(st.Hosts, now, hosts)...)
}

// summary counts items by status; statuses that nobody has heard of yet come last.
func summary(c api.Counts) string {
	parts := []string{count(c.Total(), "source")}
	known := api.Statuses()
	for _, s := range known {
		if n := c.Items[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", s, thousands(n)))
		}
	}
	var others []string
	for s, n := range c.Items {
		if n > 0 && !slices.Contains(known, s) {
			others = append(others, fmt.Sprintf("%s %s", clean(string(s)), thousands(n)))
		}
	}
	slices.Sort(others)
	return strings.Join(append(parts, others...), " · ")
}

func backlog(c api.Counts) string {
	if c.Backlog() == 0 {
		return "nothing waits"
	}
	return fmt.Sprintf("%s due, %s in flight", thousands(c.Due), thousands(c.InFlight))
}

func rates(c api.Counts) string {
	return fmt.Sprintf("of recent checks %s found a change, %s failed", percent(c.ChangeRate), percent(c.ErrorRate))
}

// percent writes a share of 0 to 1; a little more than nothing is not written as nothing.
func percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", share*100)
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
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tSOURCES\tINDEXED\tERROR\tDUE\tIN FLIGHT\tCHANGED\tFAILED")
	for _, h := range hosts {
		fmt.Fprintln(w, hostRow(h, now))
	}
	w.Flush()
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %s", count(left, "more host")))
	}
	return lines
}

func hostRow(h api.HostStatus, now time.Time) string {
	row := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", clean(h.Host), thousands(h.Total()),
		thousands(h.Items[api.StatusIndexed]), thousands(h.Items[api.StatusError]), thousands(h.Due),
		thousands(h.InFlight), percent(h.ChangeRate), percent(h.ErrorRate))
	if h.PausedUntil.After(now) {
		row += "  paused, goes on " + relative(now, h.PausedUntil)
		if h.PauseReason != "" {
			row += ": " + clean(h.PauseReason)
		}
	}
	return row
}
