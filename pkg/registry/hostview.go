package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// HostView is all that workers agree on about a host (A23), for people to read.
type HostView struct {
	HostStats
	Politeness                   // as it is kept: Crawl-delay respected
	CrawlDelay time.Duration     // of robots.txt
	NextStart  time.Time         // no request starts before
	Workers    int               // that may send requests now
	Requests   int               // they may have in flight
	Losses     int               // tombstones of the mass-removal guard's window
	Today      Budget            // what it was asked for since midnight (UTC), or may yet be by who asks it now
	Days       []policy.Spent    // the last 30 with today, oldest first; those with nothing to tell are left out
	Robots     map[string]Robots // by scheme
}

// View reads how a host is treated; NotFound if nothing is registered for it. It costs a read of its
// row, one of each robots.txt and what is due.
func (r *Hosts) View(ctx context.Context, host string) (HostView, error) {
	now := r.s.Now()
	for partition, err := range r.s.PartitionsOf(ctx, host, "") {
		if err != nil {
			return HostView{}, err
		}
		stats, err := r.partitionStats(ctx, partition, host, now)
		if err != nil {
			return HostView{}, err
		}
		if len(stats) > 0 {
			return r.view(ctx, partition, stats[0], now)
		}
	}
	return HostView{}, fault.New(fault.NotFound, "nothing is registered for the host %q", host)
}

func (r *Hosts) view(ctx context.Context, partition string, stats HostStats, now time.Time) (HostView, error) {
	h, err := r.s.LoadHost(ctx, partition, stats.Host)
	if err != nil {
		return HostView{}, err
	}
	p := &h.Policy
	p.StartDay(now)
	p.ExpireLeases(now)
	v := HostView{
		HostStats: stats, Politeness: r.s.Options.Politeness(stats.Host), CrawlDelay: p.Pace.CrawlDelay,
		NextStart: p.Pace.NextStart, Workers: len(p.Leases), Requests: p.Permits(), Losses: p.Losses.Count,
		Today:  p.Today.Used,
		Days:   append(p.Days, policy.Spent{Day: p.Today.Began, Budget: p.Today.Used, Checks: p.Today.Checks}),
		Robots: map[string]Robots{},
	}
	v.MinDelay, v.MaxDelay = p.Pace.Delays(v.Politeness)
	for _, scheme := range []string{"https", "http"} {
		row, err := r.Robots(ctx, partition, scheme, stats.Host)
		if err != nil {
			return HostView{}, err
		}
		if !row.FetchedAt.IsZero() {
			v.Robots[scheme] = row
		}
	}
	return v, nil
}
