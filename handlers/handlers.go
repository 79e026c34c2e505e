package handlers

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// Options configure the handler.
type Options struct {
	// Open opens the services, or returns them if they are already open. Every invocation calls Open, so once it has
	// succeeded it must return quickly. After a failure, the next invocation tries again.
	Open func(ctx context.Context) (*Services, error)
	// Timeout ends an invocation that takes too long, before the host would kill the process for it. Zero means 4.5
	// minutes.
	Timeout time.Duration
	// BodyTime is how long the body of a request may take to arrive. Zero means 2 minutes.
	BodyTime time.Duration
	// Port is the port on which the handler listens. If it is set, only requests to this port of this machine are
	// answered.
	Port string
	// Hosts are the names by which callers reach the host, with their ports, as in a Host header. Some hosts pass on
	// that header, and requests below /api with one of these names are then answered, too.
	Hosts []string
	// Access says who checks the keys of requests.
	Access Access
	// Secret is the secret that the host sends with each request; empty if the host sends none.
	Secret string
	// UserScope is what users may do whom a proxy has signed in, and who show no key.
	UserScope api.Scope

	Log     *slog.Logger       // messages are discarded when nil
	Metrics *telemetry.Metrics // the metrics of the process; new ones are made when nil
	// Ended is called after each invocation, possibly by several goroutines at once. The caller gets the answer only
	// after Ended returns, so Ended must not block. It may be nil.
	Ended func(telemetry.Span)
}

// defaultTimeout is below functionTimeout of host.json, which is five minutes. A function that takes longer than
// functionTimeout makes the host kill the whole process.
const defaultTimeout = 4*time.Minute + 30*time.Second

type server struct {
	Options
	served http.Handler // the API, for callers in this process
	last   atomic.Pointer[bound]
	warned sync.Once // limits the warning about unknown host names to one
}

// triggerNames are the functions that the host calls with an envelope, by folder name.
var triggerNames = []string{
	"CrawlTimer", "CrawlWorker", "CrawlPoison", "CrawlSlowWorker", "CrawlSlowPoison", "PurgeTimer", "RebuildWorker",
	"BulkWorker", "BackfillWorker", "BackfillPoison", "SentinelTimer", "SentinelWorker", "MboxWorker", "EnrichTimer",
	"DeliveryWorker", "DeliveryPoison",
}

// dashboardRoute is the route of the function to which the host sends all requests for the dashboard. The dashboard
// itself finds the page for each path.
const dashboardRoute = "ui/{*path}"

var dashboardMethods = []string{http.MethodGet, http.MethodPost}

// New makes the handler for all HTTP requests. It answers GET / at once, even when the services cannot be opened,
// because the host uses that request to check that the process is up.
func New(o Options) http.Handler {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.BodyTime = cmp.Or(o.BodyTime, defaultBodyTime)
	defaults.Log(&o.Log)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	s := &server{Options: o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		wire.JSON(w, http.StatusOK, map[string]string{"status": "up"})
	})
	for _, name := range triggerNames {
		mux.HandleFunc("POST /"+strings.ToLower(name), s.serveTrigger(name))
	}
	for _, e := range api.Routes() {
		mux.HandleFunc(muxPattern(e), s.counted(e.Pattern(), s.serveRoute(e)))
	}
	routed := s.routed(mux)
	s.served = s.guard(routed)
	dashboard := newDashboard(s.served, s.Log)
	for _, method := range dashboardMethods {
		shown := s.counted(method+" ui", dashboard.ServeHTTP)
		mux.Handle(method+" "+ui.Root, shown)
		mux.Handle(method+" "+ui.Root+"/", shown)
	}
	return s.admit(s.guard(s.explained(compressed(s.newDoor(mux, routed)))))
}

// muxPattern returns the pattern under which a route is registered in the mux.
func muxPattern(e *api.Endpoint) string { return e.Method + " /api/" + lowerLiterals(e.Path) }

// lowerLiterals puts a path pattern into lower case, except for the {names} in it.
func lowerLiterals(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if !strings.HasPrefix(p, "{") {
			parts[i] = strings.ToLower(p)
		}
	}
	return strings.Join(parts, "/")
}

// toField matches the part of a path that stands before the name of a field.
var toField = regexp.MustCompile(`(?i)^/*api/(?:ui/)?items/[^/]+/(?:fields|csv)/`)

// folded returns a request whose path has the form that the mux expects: in lower case and without a trailing slash.
// Hosts ignore both differences, and ids are in lower case anyway. The name of a field keeps its case.
func folded(r *http.Request) *http.Request {
	cased := toField.FindString(r.URL.Path)
	path := strings.ToLower(r.URL.Path)
	if cased != "" {
		path = strings.ToLower(cased) + r.URL.Path[len(cased):]
	}
	if path = "/" + strings.Trim(path, "/"); path != r.URL.Path {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = path, ""
	}
	return r
}

// guard limits the duration of every invocation and answers 500 after a panic.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = scoped(r)
		w = bounded(w, r, s.BodyTime)
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { // the answer has begun and cannot be finished
					panic(p)
				}
				s.Log.ErrorContext(r.Context(), "invocation panicked", "path", r.URL.Path, "panic", p, "stack",
					string(debug.Stack()))
				wire.Problem(w, http.StatusInternalServerError, "")
			}
		}()
		ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
