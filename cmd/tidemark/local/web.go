package local

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch"
	rules "github.com/tidemark/tidemark/pkg/policy/robots"
)

const (
	// defaultURL is requested when no source is known. IANA reserves it for such uses.
	defaultURL = "https://example.com/"
	// dateError is the largest error of a Date header that is not reported. Small errors are normal, because the
	// header has whole seconds, and caches store it.
	dateError = 10 * time.Second
	// farOff is the largest error of a clock that does no harm. With a larger error, storage services refuse
	// requests, and valid certificates can seem to have expired.
	farOff = 5 * time.Minute
)

// web checks that names are resolved, that the web can be reached, and that the clock is right. It sends at most two
// requests, both to the same host.
func (d *doctor) web(ctx context.Context) {
	if d.bad {
		d.report("web", skipped, "", "the settings are not right")
		return
	}
	target, worst := d.target(ctx)
	u, err := url.Parse(target)
	if err != nil || u.Hostname() == "" {
		d.report("web", problem, "give --url an address such as https://example.org/", "%q is no address", target)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !d.names(ctx, u.Hostname(), worst) {
		d.report("web", skipped, "", "%s was not asked, for its name has no address", u.Host)
		d.report("clock", skipped, "", "no server told its time")
		return
	}
	date, asked := d.ask(ctx, target, worst)
	d.clock(date, asked)
}

// target returns the URL to request, and the result to report if the request fails. When the user gave no URL, a
// failure is only a warning, because this machine may have no access to the web on purpose.
func (d *doctor) target(ctx context.Context) (target, worst string) {
	if d.o.url != "" {
		return d.o.url, problem
	}
	items, err := d.first(ctx, "")
	if err == nil && len(items) > 0 && strings.HasPrefix(items[0].Source().Normalized, "http") {
		return items[0].Source().Normalized, warning
	}
	return defaultURL, warning
}

// names resolves the name of a host. It reports whether the host has an address.
func (d *doctor) names(ctx context.Context, host, worst string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		d.report("dns", skipped, "", "%s is an address: give --url a name to check names", host)
		return true
	}
	if p := d.cfg.Fetch.Proxy; p.URL != "" && p.Resolves {
		d.report("dns", skipped, "", "the proxy of EGRESS_PROXY resolves names")
		return true
	}
	resolver := cmp.Or(d.resolver, net.DefaultResolver)
	found, err := resolver.LookupHost(ctx, host)
	if err != nil {
		d.report("dns", worst, "check the name, /etc/resolv.conf, and that this machine or container reaches its name server",
			"%s has no address: %v", host, err)
		return false
	}
	d.report("dns", fine, "", "%s has %s", host, words.Count(len(found), "address"))
	return true
}

// ask requests a URL through the guard, as a crawl does. It returns the Date of the answer, and the time at which the
// answer arrived.
func (d *doctor) ask(ctx context.Context, target, worst string) (date, asked time.Time) {
	cfg := d.cfg.Fetch
	cfg.Resolver = d.resolver
	client, err := fetch.New(cfg)
	if err != nil {
		d.report("web", problem, "change the settings", "%v", err)
		return
	}
	defer client.Close()
	stay := func(context.Context, string) error { return errStay }
	reply, err := client.Robots(ctx, fetch.RobotsRequest{Origin: target, Gate: stay})
	decision, _ := rules.Decide(reply, rules.State{}, d.t.Now())
	why := reply.Problem
	if why == "" && err != nil {
		why = err.Error()
	}
	switch {
	case errors.Is(err, errStay):
		decision.Verdict = rules.DisallowAll
		decision.Reason = "its robots.txt is elsewhere"
	case fault.Is(err, fault.Blocked), fault.Is(err, fault.Invalid), strings.Contains(reply.Problem, "prohibited"):
		d.report("web", worst, "if the host is yours, add it to CRAWL_ALLOW_HOSTS", "%s is never asked: %s", target, why)
		return
	case err != nil, reply.Failed:
		d.report("web", worst, "check the address, the network, firewalls and proxies: Tidemark connects to sites "+
			"directly, or by EGRESS_PROXY",
			"%s does not answer: %s", target, why)
		return
	}
	if decision.Verdict == rules.UseBody && !rules.Parse(reply.Body).Allowed(client.ProductToken(), target) {
		decision = rules.Decision{Verdict: rules.DisallowAll, Reason: "robots.txt forbids it"}
	}
	if decision.Verdict == rules.DisallowAll {
		d.report("web", fine, "", "%s answers; the page was not asked for: %s", target, decision.Reason)
		return
	}
	_ = d.t.Sleep(ctx, max(d.cfg.Politeness.MinDelay, time.Second))
	page, err := client.Get(ctx, fetch.Request{URL: target, Head: true, Gate: stay})
	if err != nil && !errors.Is(err, errStay) {
		d.report("web", worst, "look at the address in a browser", "%s answers for robots.txt, and not for its page: %v",
			target, err)
		return
	}
	d.report("web", fine, "", "%s answers %d", target, page.Status)
	date, _ = http.ParseTime(page.Header.Get("Date"))
	return date, d.t.Now()
}

// errStay stops a redirect, because requests may go only to the first host.
var errStay = errors.New("redirects are not followed here")

// clock compares the clock of this machine with that of the server that was asked.
func (d *doctor) clock(date, asked time.Time) {
	if date.IsZero() {
		d.report("clock", skipped, "", "no server told its time")
		return
	}
	off := asked.Sub(date)
	const do = "have the clock set by NTP (timedatectl set-ntp true), unless it is the server's that is wrong"
	switch text := words.Span(off.Abs()); {
	case off.Abs() > farOff:
		d.report("clock", problem, do, "this machine's clock and the server's are %s apart", text)
	case off.Abs() > dateError:
		d.report("clock", warning, do, "this machine's clock and the server's are %s apart", text)
	default:
		d.report("clock", fine, "", "it agrees with the server's")
	}
}

// healthAt asks a server for its health.
func (d *doctor) healthAt(ctx context.Context, server string) (api.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return api.GetHealth.Call(ctx, d.s.At(server), api.None{})
}
