package funchost

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Options say what to run and where. Only AppDir is required; Store too if there are queues.
type Options struct {
	AppDir   string        // script root: host.json, function folders, handler executable
	Addr     string        // where to serve HTTP; 127.0.0.1 and LocalHttpPort or 7071 when empty
	Env      []string      // base environment, NAME=value; os.Environ() when nil
	Store    storage.Store // queues whose bodies the adapter keeps in base64, as hosts do
	RawStore storage.Store // queues for messageEncoding "none"; nil refuses that setting
	StateDir string        // where timers keep their status; memory only when empty
	Log      *slog.Logger  // discarded when nil

	// Console receives each line the handler prints. Nil means Log.
	Console func(level slog.Level, line string)

	Auth bool // check function keys; otherwise every caller is the administrator
	Keys Keys

	// KnownLength sends envelopes with Content-Length, as Core Tools do, and not chunked, as
	// Azure does.
	KnownLength bool

	// The clocks. Zero values are those of the real host; only tests need others.
	Now         func() time.Time // time.Now
	Visibility  time.Duration    // how long a received message is hidden: 10 min, renewed at half
	MaxPoll     time.Duration    // longest pause between polls of an idle queue: 2 s
	InitTimeout time.Duration    // for the handler to answer: host.json, 30 s
	Timeout     time.Duration    // functionTimeout: host.json, 30 min
	DrainWait   time.Duration    // for work in flight at shutdown: 10 s
}

const (
	defaultPort       = 7071
	defaultVisibility = 10 * time.Minute
	defaultDrainWait  = 10 * time.Second
)

// complete fills in what was left empty, except what host.json decides.
func (o Options) complete() (Options, error) {
	if o.AppDir == "" {
		return o, fault.Field("AppDir", "funchost: no script root given")
	}
	dir, err := filepath.Abs(o.AppDir)
	if err != nil {
		return o, fault.Field("AppDir", "funchost: %w", err)
	}
	o.AppDir = dir
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Visibility == 0 {
		o.Visibility = defaultVisibility
	}
	if o.DrainWait == 0 {
		o.DrainWait = defaultDrainWait
	}
	if o.Console == nil {
		o.Console = logConsole(o.Log)
	}
	return o, nil
}

// address is where to serve: the option, else what local.settings.json says, else port 7071.
func (o Options) address(s localSettings) string {
	if o.Addr != "" {
		return o.Addr
	}
	port := s.port
	if port == 0 {
		port = defaultPort
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// override lets the options' clocks win over host.json.
func (o Options) override(c *hostConfig) {
	if o.InitTimeout > 0 {
		c.initTimeout = o.InitTimeout
	}
	if o.Timeout > 0 {
		c.timeout = o.Timeout
	}
	if o.MaxPoll > 0 {
		c.queues.maxPoll = o.MaxPoll
	}
}
