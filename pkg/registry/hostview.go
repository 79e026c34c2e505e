package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// HostView is the shared state of a host (A23), for people to read.
type HostView struct {
	HostStats
	policy.Politeness                   // the effective pace and quotas, which include the Crawl-delay
	CrawlDelay        time.Duration     // the Crawl-delay in robots.txt
	NextStart         time.Time         // no request starts before this time
	Workers           int               // number of workers that may send requests now
	Requests          int               // number of requests that these workers may have in flight
	Losses            int               // number of tombstones that the mass-removal guard counts in its window
	Today             policy.Budget     // the budget spent since midnight (UTC), with what current leases may still spend
	Days              []policy.Spent    // what was spent on each of the last 30 days, oldest first, without empty days
	Robots            map[string]Robots // the cached robots.txt by scheme
	Notices           []string          // sentences about answers of the host that are not believed
}

// View reads the state of a host. It costs one read for the host row, one for each robots.txt, and one for the due
// rows. Errors: NotFound if nothing is registered for the host.
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
		Robots: map[string]Robots{}, Notices: h.Notices(),
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
