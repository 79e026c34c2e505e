package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
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

// maxRobotsText bounds the stored text, in bytes (RFC 9309 §2.5 requires at least 500 KiB).
const maxRobotsText = 512 * 1024

// Robots is the cached robots.txt of one origin, with the data that is needed to refresh it.
type Robots struct {
	FetchedAt    time.Time `col:"fetchedAt"`
	Expires      time.Time `col:"expires"`
	GoodAt       time.Time `col:"goodAt"` // when the site last confirmed Text
	Failures     int       `col:"failures"`
	FailingSince time.Time `col:"failingSince"`
	Verdict      string    `col:"verdict"`
	Reason       string    `col:"reason"`
	StatusCode   int       `col:"statusCode"`
	ETag         string    `col:"httpEtag"`
	LastModified string    `col:"httpLastModified"`
	Text         []byte    `col:"text,gzip,must"`
}

func robotsRow(scheme, host string) string { return robotsPrefix + scheme + "|" + host }

var robotsRows = row.Of[Robots]()

// Robots reads the cached robots.txt of an origin. It returns a zero Robots if there is none.
func (r *Hosts) Robots(ctx context.Context, partition, scheme, host string) (Robots, error) {
	out, _, err := robotsRows.Load(ctx, r.s.Items, storage.Key{Partition: partition, Row: robotsRow(scheme, host)})
	return out, err
}

// PutRobots replaces the cached robots.txt of an origin. The last writer wins, because each writer has just requested
// the file from the site.
func (r *Hosts) PutRobots(ctx context.Context, partition, scheme, host string, v Robots) error {
	if len(v.Text) > maxRobotsText {
		return fault.New(fault.TooLarge, "robots.txt of %d bytes", len(v.Text))
	}
	_, err := r.s.Items.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: storage.Key{Partition: partition, Row: robotsRow(scheme, host)}, Props: robotsRows.Encode(&v),
	}})
	return err
}
