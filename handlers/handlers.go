package handlers

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Services are what invocations are answered with.
type Services struct {
	Store     storage.Store
	Registry  *registry.Registry
	Snapshots *snapshot.Store
	Manifests *index.Manifests
	Worker    *crawl.Worker
	Index     search.Index
	Documents *document.Reader
	Files     *file.Client
	Admit     func(url string) error   // why a page would never be fetched, as far as its URL tells; nil admits all
	Setting   func(name string) string // one of the app's, such as a credential; "" for none
	Rebuilds  *rebuild.Service
	Bulk      *bulk.Service
	Migrate   *migrate.Service
	Backfill  *backfill.Service
	Polls     *sitepoll.Service
	Entries   *entries.Store
	Enrich    *enrich.Service
	Imports   *mailimport.Service
	Lists     *listimport.Service
	Notify    *notify.Notifier
	Activity  *activity.Log
	Keys      *keys.Ring
	Config    map[string]string // the settings as they may be shown
	Rules     source.Rules
	Version   string
	PurgeGone time.Duration // how long tombstones are kept; 0 for ever
	// KeepChanges is how long the feed keeps changes.
	KeepChanges time.Duration
}

// Options adjust the handler.
type Options struct {
	// Open gives the services. It is called by every invocation, must be quick once it has
	// succeeded, and is called again after it has failed.
	Open func(ctx context.Context) (*Services, error)
	// Timeout ends an invocation before the host would kill the process for it; 4.5 minutes when
	// zero.
	Timeout time.Duration
	// BodyTime is how long the body of a request may take to arrive; 2 minutes when zero.
	BodyTime time.Duration
	// Port is where the handler listens: only requests to it on this machine are answered. Empty for all.
	Port string
	// Access says who checks the keys of requests.
	Access Access
	// Secret is what the host says with each request; empty when the host says none.
	Secret  string
	Version string
	Log     *slog.Logger       // discarded when nil
	Metrics *telemetry.Metrics // of the process; new ones when nil
	// Ended is told of each invocation that has come to its end, before the caller has the answer, so it
	// must not wait for anything. It is called concurrently; nobody is told when nil.
	Ended func(telemetry.Span)
}

// functionTimeout of host.json is five minutes; the host kills the whole process at it.
const defaultTimeout = 4*time.Minute + 30*time.Second

type server struct {
	Options
	served http.Handler // the API, for parts of this process
	bound  atomic.Pointer[bound]
}

// triggerNames are the functions that the host calls with an envelope, by folder name.
var triggerNames = []string{
	"CrawlTimer", "CrawlWorker", "CrawlPoison", "CrawlSlowWorker", "CrawlSlowPoison", "PurgeTimer", "RebuildWorker",
	"BulkWorker", "BackfillWorker", "BackfillPoison", "SentinelTimer", "SentinelWorker", "MboxWorker", "EnrichTimer",
	"DeliveryWorker", "DeliveryPoison",
}

// triggers are the functions of those that are not in an area yet.
var triggers = map[string]trigger{
	"CrawlTimer":      crawlTimer,
	"CrawlWorker":     crawlWorker,
	"CrawlPoison":     crawlPoison,
	"CrawlSlowWorker": crawlSlowWorker,
	"CrawlSlowPoison": crawlPoison,
	"PurgeTimer":      purgeTimer,
}

// The function that the host proxies to the dashboard, whose pages it knows itself.
const dashboardRoute = "ui/{*path}"

var dashboardMethods = []string{http.MethodGet, http.MethodPost}

// New makes the handler's HTTP interface. It answers GET / at once, whatever state the services
// are in: the host asks for that to learn whether the process is up.
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
	return s.admit(s.guard(s.newDoor(mux, routed)))
}

// muxPattern is how the mux knows a route.
func muxPattern(e *api.Endpoint) string { return e.Method + " /api/" + lowerLiterals(e.Path) }

// lowerLiterals lower-cases a path pattern but for its {names}.
func lowerLiterals(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if !strings.HasPrefix(p, "{") {
			parts[i] = strings.ToLower(p)
		}
	}
	return strings.Join(parts, "/")
}

// folded has the path in the form that the mux knows: hosts match paths without regard to case and to a
// slash at the end. Ids are lower-case anyway.
func folded(r *http.Request) *http.Request {
	if path := "/" + strings.Trim(strings.ToLower(r.URL.Path), "/"); path != r.URL.Path {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = path, ""
	}
	return r
}

// guard bounds every invocation and turns a panic into an answer.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = scoped(r)
		w = bounded(w, r, s.BodyTime)
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { // an answer that cannot be finished
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
