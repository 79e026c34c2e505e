package robots

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// How long a decision is valid.
const (
	// defaultLifetime is how long a reply without Cache-Control is valid. It is also the maximum for any reply (RFC
	// 9309 §2.4).
	defaultLifetime = 24 * time.Hour
	// minLifetime is the least time for which a good reply is valid, whatever Cache-Control says.
	minLifetime = 10 * time.Minute
	// firstRetry is the pause after the first failure. Each further failure doubles the pause.
	firstRetry = 2 * time.Minute
	// maxRetry is the longest pause between attempts, unless Retry-After asks for more.
	maxRetry = 4 * time.Hour
	// patience is how long nothing is fetched from a host whose robots.txt cannot be fetched. After that time the
	// file counts as unavailable, and everything is allowed (RFC 9309 §2.3.1.4).
	patience = 30 * 24 * time.Hour
)

// Reply is the result of a request for /robots.txt, after redirects.
type Reply struct {
	Status           int           // status of the last response; has no meaning if Failed is set
	Failed           bool          // there is no usable answer: DNS, connect, TLS, timeout, broken body, refused address
	TooManyRedirects bool          // a loop, or more redirects than allowed
	Problem          string        // why the request failed, for people
	Unreached        string        // what kept the host from being reached, if no request was sent: see [fetch.Unreached]
	Body             []byte        // decoded, possibly cut
	ETag             string        // validators for the next request
	LastModified     string        //
	CacheControl     string        // the header's value; several values are joined by commas
	RetryAfter       time.Duration // zero if the site did not ask for a pause
}

// State is what must be stored about a host between replies. The zero value is a host that was never asked.
type State struct {
	HasCopy      bool      // the body of the last good reply is stored
	Failures     int       // consecutive failed replies
	FailingSince time.Time // time of the first of these; zero if the last reply was good
}

// Verdict is the rule to apply until a decision expires.
type Verdict string

const (
	// AllowAll means that there is no robots.txt. Any stored copy must be dropped.
	AllowAll Verdict = "allow"
	// DisallowAll means that nothing may be fetched from this host for now, and that no page is removed from the
	// index.
	DisallowAll Verdict = "disallow"
	// UseBody means that the body of this reply must be stored and parsed.
	UseBody Verdict = "body"
	// UseCopy means that the stored copy of an earlier reply applies.
	UseCopy Verdict = "copy"
)

// Decision is what [Decide] concludes from a [Reply].
type Decision struct {
	Verdict Verdict
	Expires time.Time // the time at which to ask again
	Reason  string    // a constant phrase, or one with the status in it
}

// Decide applies RFC 9309 §2.3.1 to a reply that was received at the given time. It returns the decision, and the
// state to store.
//
//	2xx                        use the body
//	304                        use the copy
//	4xx, endless redirects     no rules: allow all
//	429, 5xx, no answer        unreachable: use the copy, else disallow all; ask again soon, and
//	                           after 30 days of this allow all
//
// A good reply is valid for its Cache-Control max-age, within [minLifetime, defaultLifetime].
func Decide(r Reply, s State, now time.Time) (Decision, State) {
	good := now.Add(lifetime(r.CacheControl))
	switch {
	case r.TooManyRedirects:
		return Decision{AllowAll, good, "too many redirects"}, State{}
	case unreachable(r, s):
		return wait(r, s, now)
	case r.Status == 304:
		return Decision{UseCopy, good, "not modified"}, State{HasCopy: true}
	case r.Status < 300:
		return Decision{UseBody, good, "fetched"}, State{HasCopy: true}
	default:
		return Decision{AllowAll, good, fmt.Sprintf("unavailable: status %d", r.Status)}, State{}
	}
}

// unreachable reports whether the reply says nothing about the site's rules. This includes status 429: an overloaded
// site did not say that it has no rules.
func unreachable(r Reply, s State) bool {
	return r.Failed || r.Status < 200 || r.Status == 429 || r.Status >= 500 ||
		r.Status == 304 && !s.HasCopy
}

// wait decides about a host whose robots.txt cannot be fetched now.
func wait(r Reply, s State, now time.Time) (Decision, State) {
	if s.FailingSince.IsZero() {
		s.FailingSince = now
	}
	s.Failures++
	reason := "unreachable"
	if !r.Failed {
		reason = fmt.Sprintf("unreachable: status %d", r.Status)
	}
	if now.Sub(s.FailingSince) >= patience {
		s.HasCopy = false
		return Decision{AllowAll, now.Add(defaultLifetime), reason + " for 30 days"}, s
	}
	pause := max(RetryPause(s.Failures), min(r.RetryAfter, defaultLifetime)) // a longer wish of the site is respected
	d := Decision{DisallowAll, now.Add(pause), reason}
	if s.HasCopy {
		d.Verdict = UseCopy
	}
	return d, s
}

// RetryPause returns how long a site is left alone after so many failures in a row: 2 minutes after the first, doubled
// for each further one, but at most 4 hours.
func RetryPause(failures int) time.Duration {
	pause := firstRetry
	for i := 1; i < failures && pause < maxRetry; i++ {
		pause *= 2
	}
	return min(pause, maxRetry)
}

// lifetime parses Cache-Control. A reply that must not be cached is still valid for minLifetime. A request before
// every page would cost the site more than the header is meant to save.
func lifetime(cacheControl string) time.Duration {
	for directive := range strings.SplitSeq(cacheControl, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-cache", "no-store":
			return minLifetime
		case "max-age":
			return maxAge(strings.Trim(value, `" `))
		}
	}
	return defaultLifetime
}

// maxAge parses a number of seconds and limits it. A malformed number means that the reply is already stale (RFC 9111
// §4.2.1). A number that is too large for an integer means the longest time.
func maxAge(value string) time.Duration {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return minLifetime
	}
	seconds, err := strconv.ParseInt(value, 10, 32)
	if err != nil { // the number is out of range; there is no other error
		return defaultLifetime
	}
	return min(max(time.Duration(seconds)*time.Second, minLifetime), defaultLifetime)
}
