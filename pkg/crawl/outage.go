package crawl

import (
	"fmt"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	// manyHosts is how many hosts in a row cannot be reached before this machine is taken for the cause.
	manyHosts = 3
	// outageFails is how long such an outage lasts before pages fail for it.
	outageFails = 24 * time.Hour
)

// outage notices when no host at all can be reached: the cause is then the network, the name server or the proxy of
// this machine. It is safe for concurrent use.
type outage struct {
	mu    sync.Mutex
	since time.Time
	hosts map[string]bool // those that could not be reached since a host was reached
}

// note records whether a host was reached. It returns true when an outage begins.
func (o *outage) note(host string, reached bool, now time.Time) (begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if reached {
		o.hosts = nil
		return false
	}
	if o.hosts == nil {
		o.hosts, o.since = map[string]bool{}, now
	}
	if o.hosts[host] || len(o.hosts) > manyHosts {
		return false
	}
	o.hosts[host] = true
	return len(o.hosts) == manyHosts
}

// String describes the outage for people; "" if there is none.
func (o *outage) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.hosts) < manyHosts {
		return ""
	}
	return fmt.Sprintf("no site has been reached since %s: probably the network, the name server or the proxy "+
		"(EGRESS_PROXY) of this machine does not work; for a day, no page fails for it", words.Stamp(o.since))
}

// Outage describes a time in which no host at all can be reached; "" if there is none.
func (w *Worker) Outage() string { return w.outage.String() }

// patience returns how long a host must have been out of reach before its pages fail for it.
func (o *outage) patience() time.Duration {
	if o.String() != "" {
		return outageFails
	}
	return 0
}
