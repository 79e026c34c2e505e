package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/activity"
	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/document"
	"github.com/tidemark/tidemark/pkg/enrich"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/mailimport"
	"github.com/tidemark/tidemark/pkg/rebuild"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/sentinel"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
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
	Setting   func(name string) string // one of the app's, such as a credential; "" for none
	Rebuilds  *rebuild.Service
	Backfill  *backfill.Service
	Sentinel  *sentinel.Service
	Entries   *entries.Store
	Enrich    *enrich.Service
	Imports   *mailimport.Service
	Activity  *activity.Log
	Config    map[string]string // the settings as they may be shown
	Rules     source.Rules
	Version   string
	PurgeGone time.Duration // how long tombstones are kept; 0 for ever
}

// Options adjust the handler.
type Options struct {
	// Open gives the services. It is called by every invocation, must be quick once it has
	// succeeded, and is called again after it has failed.
	Open func(ctx context.Context) (*Services, error)
	// Timeout ends an invocation before the host would kill the process for it; 4.5 minutes when
	// zero.
	Timeout time.Duration
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
}

// Triggers are the functions that the host calls with an envelope, by folder name.
func (s *server) triggers() map[string]trigger {
	return map[string]trigger{
		"CrawlTimer":     s.crawlTimer,
		"CrawlWorker":    s.crawlWorker,
		"CrawlPoison":    s.crawlPoison,
		"PurgeTimer":     s.purgeTimer,
		"RebuildWorker":  s.rebuildWorker,
		"BackfillWorker": s.backfillWorker,
		"BackfillPoison": s.backfillPoison,
		"SentinelTimer":  s.sentinelTimer,
		"SentinelWorker": s.sentinelWorker,
		"MboxWorker":     s.mboxWorker,
		"EnrichTimer":    s.enrichTimer,
	}
}

// routes are the functions that the host proxies, by method and path below /api/.
func (s *server) routes() map[string]route {
	return map[string]route{
		"POST AddUrlDocument":                   s.addURL,
		"POST AddFileDocument":                  s.addFile,
		"POST ReindexItem":                      s.reindex,
		"POST RebuildIndex":                     s.rebuildStart,
		"GET RebuildIndex":                      s.rebuildState,
		"POST backfill/runs":                    s.backfillStart,
		"GET backfill/runs":                     s.backfillRuns,
		"GET backfill/runs/{id}":                backfillDo(http.StatusOK, (*backfill.Service).Get),
		"POST backfill/runs/{id}/resume":        backfillDo(http.StatusAccepted, (*backfill.Service).Resume),
		"POST backfill/runs/{id}/pause":         backfillDo(http.StatusAccepted, (*backfill.Service).Pause),
		"POST backfill/runs/{id}/cancel":        backfillDo(http.StatusAccepted, (*backfill.Service).Cancel),
		"GET backfill/sites":                    s.backfillSites,
		"GET sites":                             s.sites,
		"GET sites/{slug}":                      siteDo(http.StatusOK, (*sentinel.Service).Get),
		"POST sites/{slug}/look":                siteDo(http.StatusAccepted, (*sentinel.Service).LookNow),
		"POST IndexNow":                         s.indexNow,
		"GET IndexNow":                          s.indexNowOne,
		"GET Search":                            s.searchGet,
		"POST Search":                           s.searchPost,
		"GET SearchStatus":                      s.status,
		"GET items":                             s.items,
		"GET items/{id}":                        s.item,
		"GET items/{id}/captures":               s.captures,
		"GET items/{id}/captures/{sha256}":      s.capture,
		"GET items/{id}/lineage":                s.edges,
		"DELETE items/{id}":                     s.remove,
		"GET health":                            s.health,
		"POST enrich/tier1":                     s.enrichOne,
		"POST enrich/tier1/batch":               s.enrichMany,
		"GET enrich/tier1/batches":              s.enrichBatches,
		"GET enrich/tier1/batches/{id}":         s.enrichBatch,
		"POST enrich/tier1/batches/{id}/cancel": s.cancelEnrichBatch,
		"POST import/email/mbox":                s.importMbox,
		"GET import/email/{id}":                 s.importState,
		"POST normalize/telegram":               s.normalizeTelegram,
		"POST normalize/email":                  s.normalizeEmail,
		"POST normalize/webpage":                s.normalizeWebpage,
		"GET entries":                           s.entries,
		"GET entries/{id}":                      s.entry,
		"POST db/insert":                        s.insertEntry,
		"POST db/update":                        s.updateEntry,
		"GET policies":                          s.policies,
		"PUT policies/{key}":                    s.savePolicy,
		"GET test-mode":                         s.testMode,
		"PUT test-mode":                         s.setTestMode,
		"POST test-mode/toggle":                 s.toggleTestMode,
		"GET config":                            s.config,
		"GET items/{id}/images":                 s.images,
		"GET import/email":                      s.importList,
		"GET items/{id}/chunks":                 s.chunks,
		"GET hosts/{host}":                      s.host,
		"GET openapi.json":                      s.document,
		"GET docs":                              s.docs,
		"GET metrics":                           s.metrics,
		"GET activity":                          s.activity,
	}
}

// The function that the host proxies to the dashboard, whose pages it knows itself.
const dashboardRoute = "ui/{*path}"

var dashboardMethods = []string{http.MethodGet, http.MethodPost}

// New makes the handler's HTTP interface. It answers GET / at once, whatever state the services
// are in: the host asks for that to learn whether the process is up.
func New(o Options) http.Handler {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	s := &server{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "up"})
	})
	for name, t := range s.triggers() {
		mux.HandleFunc("POST /"+strings.ToLower(name), s.serveTrigger(name, t))
	}
	for pattern, r := range s.routes() {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/"+lowerLiterals(path), s.counted(pattern, s.serveRoute(r)))
	}
	served := s.guard(foldPath(s.routed(mux)))
	dashboard := newDashboard(served, s.Log)
	for _, method := range dashboardMethods {
		shown := s.counted(method+" ui", dashboard.ServeHTTP)
		mux.Handle(method+" "+ui.Root, shown)
		mux.Handle(method+" "+ui.Root+"/", shown)
	}
	return served
}

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

// foldPath matches paths without regard to case and to a slash at the end, as the host does. Ids are
// lower-case anyway.
func foldPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if folded := "/" + strings.Trim(strings.ToLower(r.URL.Path), "/"); folded != r.URL.Path {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = folded, ""
		}
		next.ServeHTTP(w, r)
	})
}

// guard bounds every invocation and turns a panic into an answer.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = scoped(r)
		defer func() {
			if p := recover(); p != nil {
				s.Log.ErrorContext(r.Context(), "invocation panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				writeProblem(w, http.StatusInternalServerError, "", nil)
			}
		}()
		ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
		defer cancel()
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
