package funchost

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Options say what to run and where. Only AppDir is required; if there are queues, Store is required, too.
type Options struct {
	AppDir   string        // script root: host.json, function folders, handler executable
	Handler  []string      // absolute path and arguments of the handler; when empty, the one in host.json
	Addr     string        // where to serve HTTP; 127.0.0.1:7071 when empty
	Env      []string      // base environment, NAME=value; os.Environ() when nil
	Store    storage.Store // its queues must keep bodies in base64, as hosts do
	StateDir string        // where timers keep their status; not kept if empty
	Log      *slog.Logger  // discarded when nil

	// BarePaths accepts requests without the route prefix of host.json, which the real host refuses.
	BarePaths bool

	// Keys is set if the app requires keys. Then this host answers to everyone who can reach it, under any host name.
	// The management API, which checks no keys, is off. Without Keys this host answers to localhost only.
	Keys bool
	// Certificate enables TLS, with HTTP/1.1 and HTTP/2.
	Certificate *Certificate
	// Proxies lists the proxies that are trusted to report the client of a forwarded request. If another sender
	// reports a client, the report is dropped.
	Proxies []netip.Prefix
	// UserHeader is the header in which a trusted proxy reports the user of a request. Empty means that none does.
	UserHeader string
	// Home answers requests for "/". If nil, they get the page of the real host.
	Home http.Handler

	// Durations that only tests set. Zero means the duration of the real host, which is given below.
	Visibility  time.Duration // how long a received message is hidden: 10 min, renewed at half
	MaxPoll     time.Duration // longest pause between polls of an idle queue: 2 s
	InitTimeout time.Duration // limit for the handler's first answer: 30 s
	Timeout     time.Duration // functionTimeout: as in host.json, or else 30 min
	DrainWait   time.Duration // time limit for work in flight at shutdown: 10 s
	BodyIdle    time.Duration // how long a request's body may stall: 30 s
}

const (
	defaultAddr        = "127.0.0.1:7071"
	defaultVisibility  = 10 * time.Minute
	defaultDrainWait   = 10 * time.Second
	defaultInitTimeout = 30 * time.Second
	defaultBodyIdle    = 30 * time.Second
)

// complete fills in defaults, except those that host.json determines.
func (o Options) complete() (Options, error) {
	if o.AppDir == "" {
		return o, fault.Field("AppDir", "funchost: no script root given")
	}
	dir, err := filepath.Abs(o.AppDir)
	if err != nil {
		return o, fault.Field("AppDir", "funchost: %w", err)
	}
	o.AppDir = dir
	defaults.Log(&o.Log)
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Addr = cmp.Or(o.Addr, defaultAddr)
	o.Visibility = cmp.Or(o.Visibility, defaultVisibility)
	o.DrainWait = cmp.Or(o.DrainWait, defaultDrainWait)
	o.BodyIdle = cmp.Or(o.BodyIdle, defaultBodyIdle)
	o.InitTimeout = cmp.Or(o.InitTimeout, defaultInitTimeout)
	return o, nil
}
