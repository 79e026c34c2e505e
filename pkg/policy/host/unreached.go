package host

import (
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
)

const (
	// AskEvery is the shortest time between two tries, however often people ask for one.
	AskEvery = 10 * time.Second
	// lastingTries and lastingTime say from when on a host counts as out of reach for good: until then its pages only
	// wait.
	lastingTries = 3
	lastingTime  = time.Hour
)

// Unreached says that a host cannot be reached: its name is unknown, it accepts no connection, TLS with it fails, or
// its robots.txt cannot be fetched. It is zero while the host answers. What goes wrong after a page was requested is no
// matter of the host.
type Unreached struct {
	Since time.Time `col:"unreachedSince"`
	Tries int       `col:"unreachedTries"` // in a row
	Last  time.Time `col:"unreachedLast"`  // the last try
	Next  time.Time `col:"unreachedNext"`  // the next one
	Of    string    `col:"unreachedOf"`    // dns, connection, tls or robots
	Why   string    `col:"unreachedWhy"`
}

// Fail records that a try has failed. Tries of several workers at about the same time count once.
func (u *Unreached) Fail(now time.Time, of, why string) {
	if u.Since.IsZero() {
		u.Since = Stamp(now)
	}
	if u.Tries == 0 || now.Sub(u.Last) >= AskEvery {
		u.Tries++
	}
	u.Last, u.Of, u.Why = Stamp(now), of, why
	u.Next = Stamp(now.Add(robots.RetryPause(u.Tries)))
}

// Ask makes the next try due at once, because a person asks for a check. A host is tried at most once in [AskEvery].
func (u *Unreached) Ask(now time.Time) {
	if soon := Stamp(Later(now, u.Last.Add(AskEvery))); soon.Before(u.Next) {
		u.Next = soon
	}
}

// Waits reports whether the host is to be left alone now. A try that is due within [AskEvery] may be prepared.
func (u *Unreached) Waits(now time.Time) bool { return u.Next.After(now.Add(AskEvery)) }

// Lasts reports whether the host was out of reach for so long that its pages fail.
func (u *Unreached) Lasts(now time.Time) bool {
	return u.Tries >= lastingTries || !u.Since.IsZero() && now.Sub(u.Since) >= lastingTime
}

// String says what is wrong, for people.
func (u *Unreached) String() string {
	if u.Of == OfRobots {
		return "robots.txt cannot be fetched, so nothing else may be: " + u.Why
	}
	return "the host cannot be reached: " + u.Why
}

// OfRobots is what Unreached is of if a host answers, but not for its robots.txt. The other values are those of a
// fetch that sent no request.
const OfRobots = "robots"

// UnreachedError means that nothing may be requested from a host for now, because it cannot be reached.
type UnreachedError struct {
	Host    string
	Of, Why string // as in [Unreached]
}

func (e *UnreachedError) Error() string { return e.Host + ": " + e.Reason() }

// Reason says what is wrong, without the name of the host.
func (e *UnreachedError) Reason() string { return (&Unreached{Of: e.Of, Why: e.Why}).String() }
