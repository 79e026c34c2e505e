package politeness

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
)

// ruling is what an origin's robots.txt allows at present.
type ruling struct {
	verdict robots.Verdict
	rules   robots.Rules
	reason  string
	expires time.Time
	// down says that the origin cannot be reached, or that its robots.txt cannot be fetched. Then nothing else may be
	// fetched. If the site asked for a pause instead, pausedUntil is the end of it.
	down        *policy.UnreachedError
	pausedUntil time.Time
}

// unknown reports whether robots.txt could not be fetched. As long as robots.txt cannot be fetched, nothing else may
// be fetched from the origin.
func (r ruling) unknown() bool { return r.down != nil }

// refused returns the error for a request that has to wait until the origin's robots.txt can be fetched.
func (r ruling) refused(now time.Time) error { return fault.After(r.expires.Sub(now), "%w", r.down) }

// allows reports whether a URL may be fetched.
func (r ruling) allows(agent, rawURL string) bool {
	return r.verdict != robots.UseBody || r.rules.Allowed(agent, rawURL)
}

// robotsTrust is how long a process uses its cached copy of a ruling. Another process may have fetched a newer ruling
// in the meantime.
const robotsTrust = 5 * time.Minute

// rulingFor returns the ruling of an origin from memory, from the registry, or from the site. It calls wait before
// each request, whether to the origin or to a site to which robots.txt redirects. If robots.txt could not be fetched,
// it is requested again after a while. A batch (again is true) does not wait for that: the state of its host says when.
func (h *Hosts) rulingFor(
	ctx context.Context, o Origin, wait func(context.Context, Origin) error, again bool,
) (ruling, error) {
	now := h.clock()
	r, known := h.robots.get(o, now, robotsTrust)
	if again && r.down != nil && r.pausedUntil.IsZero() {
		r, known = h.robots.get(o, now, policy.AskEvery/2) // for the other files of a page that is rendered
	}
	if known && now.Before(r.expires) {
		return r, nil
	}
	partition := h.partition(o)
	row, err := h.rows.Robots(ctx, partition, o.Scheme, o.Host)
	if err != nil {
		return ruling{}, err
	}
	unknown := row.Verdict == string(robots.DisallowAll)
	r = ruling{}
	switch {
	case !now.Before(row.Expires) || again && unknown:
		if err := wait(ctx, o); err != nil {
			return ruling{}, err
		}
		row, r, err = h.askRobots(ctx, o, row, wait)
		if fault.Is(err, fault.Throttled) {
			return h.notYet(o, err), nil
		}
		if err != nil {
			return ruling{}, err
		}
		if err := h.rows.PutRobots(ctx, partition, o.Scheme, o.Host, row); err != nil {
			return ruling{}, err
		}
	case unknown:
		r.down = &policy.UnreachedError{Host: o.Host, Of: policy.OfRobots, Why: row.Reason}
	}
	r.verdict, r.reason, r.expires = robots.Verdict(row.Verdict), row.Reason, row.Expires
	if r.verdict == robots.UseBody {
		r.rules = robots.Parse(row.Text)
	}
	h.robots.put(o, r, h.clock())
	return r, nil
}

// notYet returns the ruling of an origin whose robots.txt redirects to a busy host. The ruling is cached in memory
// only, so that not every page of a batch waits for that host.
func (h *Hosts) notYet(o Origin, why error) ruling {
	now := h.clock()
	until := now.Add(fault.RetryAfter(why))
	r := ruling{verdict: robots.DisallowAll, reason: why.Error(), expires: until, pausedUntil: until,
		down: &policy.UnreachedError{Host: o.Host, Of: policy.OfRobots, Why: why.Error()}}
	h.robots.put(o, r, now)
	return r
}

func (h *Hosts) partition(o Origin) string {
	return source.Source{Type: source.URL, Scheme: o.Scheme, Host: o.Host}.Partition(h.strategy)
}

// askRobots fetches robots.txt. It derives the row from the answer and from the rules known so far. The ruling says
// only why nothing may be fetched now. The error is Throttled when a redirect leads to a host that cannot be asked now.
func (h *Hosts) askRobots(
	ctx context.Context, o Origin, row registry.Robots, wait func(context.Context, Origin) error,
) (next registry.Robots, found ruling, err error) {
	reply, err := h.web.Robots(ctx, fetch.RobotsRequest{
		Origin: o.Scheme + "://" + o.Host, ETag: row.ETag, LastModified: row.LastModified,
		Gate: func(ctx context.Context, target string) error {
			to, err := OriginOf(target)
			if err != nil {
				return fault.New(fault.Invalid, "%w", err)
			}
			return wait(ctx, to)
		},
	})
	if err != nil {
		return next, found, err
	}
	now := h.clock()
	state := robots.State{HasCopy: !row.GoodAt.IsZero(), Failures: row.Failures, FailingSince: row.FailingSince}
	d, state := robots.Decide(reply, state, now)
	if reply.Problem != "" {
		d.Reason += ": " + reply.Problem
	}
	next = registry.Robots{
		FetchedAt: now, Expires: d.Expires, Verdict: string(d.Verdict), Reason: d.Reason, StatusCode: reply.Status,
		Failures: state.Failures, FailingSince: state.FailingSince,
	}
	switch {
	case d.Verdict == robots.UseBody:
		next.Text, next.ETag, next.LastModified, next.GoodAt = reply.Body, reply.ETag, reply.LastModified, now
	case d.Verdict == robots.UseCopy:
		next.Text, next.ETag, next.LastModified, next.GoodAt = row.Text, row.ETag, row.LastModified, row.GoodAt
		next.Verdict = string(robots.UseBody)
	}
	if d.Verdict == robots.DisallowAll || reply.Unreached != "" {
		found.down = &policy.UnreachedError{Host: o.Host, Of: policy.OfRobots, Why: d.Reason}
	}
	if reply.Unreached != "" {
		found.down.Of, found.down.Why = reply.Unreached, reply.Problem
	}
	if d.Verdict == robots.DisallowAll && (reply.Status == http.StatusTooManyRequests || reply.RetryAfter > 0) {
		found.pausedUntil = d.Expires
	}
	return next, found, nil
}

// Origin is the scheme and host to which one robots.txt applies.
type Origin struct{ Scheme, Host string }

// OriginOf returns the origin of a URL. It returns an error if the URL does not parse.
func OriginOf(rawURL string) (Origin, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Origin{}, err
	}
	return Origin{u.Scheme, u.Host}, nil
}

// originCache caches a value for each origin within a process, so that a batch usually need not read a row.
type originCache[T any] struct {
	seen recent.Map[Origin, seenAt[T]]
}

type seenAt[T any] struct {
	value T
	at    time.Time
}

// get returns a value that was cached less than trust ago.
func (c *originCache[T]) get(o Origin, now time.Time, trust time.Duration) (value T, ok bool) {
	s, ok := c.seen.Get(o)
	return s.value, ok && now.Sub(s.at) < trust
}

func (c *originCache[T]) put(o Origin, value T, now time.Time) {
	c.seen.Put(o, seenAt[T]{value, now})
}

// Fetcher sends requests to the web. Its errors describe faults of the page, never of this program; see package
// fetch.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (fetch.Response, error)
	Robots(ctx context.Context, r fetch.RobotsRequest) (robots.Reply, error)
}

// Options adjust how hosts are asked. Agent is required; the other fields have defaults.
type Options struct {
	Agent    string // product token that robots.txt rules are matched against
	Strategy source.Strategy
	Clock    func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	// AtOnce returns how many requests a host may have in flight by limits of its own; zero if it has none. It may be nil.
	AtOnce  func(host string) int
	Metrics *telemetry.Metrics // counts the time that requests wait for their start
}

// Hosts sends requests to hosts. As long as the process lives, it caches robots.txt, and how hosts answer for pages
// that do not exist. It is safe for concurrent use.
type Hosts struct {
	rows         *registry.Hosts
	web          Fetcher
	agent        string
	strategy     source.Strategy
	clock        func() time.Time
	sleep        sleeper
	atOnce       func(host string) int
	robots       originCache[ruling]
	fingerprints fingerprintCache
}

// New returns a Hosts that sends its requests through the given Fetcher.
func New(rows *registry.Hosts, web Fetcher, o Options) *Hosts {
	defaults.Clock(&o.Clock)
	defaults.Sleep(&o.Sleep)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.AtOnce == nil {
		o.AtOnce = func(string) int { return 0 }
	}
	return &Hosts{
		atOnce: o.AtOnce, rows: rows, web: web, agent: o.Agent, strategy: o.Strategy, clock: o.Clock,
		sleep: observed(o.Sleep, o.Metrics),
	}
}

// sleeper sleeps for a duration, or until the context is done.
type sleeper = func(context.Context, time.Duration) error

// observed returns a sleeper that also records the length of each sleep in the metrics. All sleeps serve to keep the
// pace of a host.
func observed(sleep sleeper, m *telemetry.Metrics) sleeper {
	return func(ctx context.Context, d time.Duration) error {
		m.PolitenessWait.Observe(d.Seconds())
		return sleep(ctx, d)
	}
}

// fingerprintCache caches the soft-404 fingerprints of origins. When several checks need the fingerprint of an origin
// at the same time, only one of them asks the origin.
type fingerprintCache struct {
	originCache[verdict.Fingerprint]
	mutexes recent.Map[Origin, Lock] // held by the check that asks an origin, while others wait for its answer
}
