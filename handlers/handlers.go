// Package handlers answers invocations. It checks the caller's access, finds the area that answers,
// and limits how long the answer may take. An area is a part of the API: each of its functions
// takes a decoded request or a message, calls one service and returns the answer. [Services] gives
// each area the services that it needs, and no others.
//
// The host passes HTTP requests on with their original path (/api/…). To call a queue or timer
// function, the host sends POST /<FunctionName> with an envelope as the body. The answer to such a
// call is always a JSON object; without one, the host would wait until the function times out.
// Package wire documents the answer for each kind of error.
//
// If a page fails, its invocation still succeeds: the failure is recorded on the page's item.
package handlers

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// Options configure the handler.
type Options struct {
	// Open opens the services, or returns them if they are already open. Every invocation calls Open,
	// so once it has succeeded it must return quickly. After a failure, the next invocation tries
	// again.
	Open func(ctx context.Context) (*Services, error)
	// Timeout ends an invocation that takes too long, before the host would kill the process for it.
	// Zero means 4.5 minutes.
	Timeout time.Duration
	// BodyTime is how long the body of a request may take to arrive. Zero means 2 minutes.
	BodyTime time.Duration
	// Port is the port on which the handler listens. If it is set, only requests to this port of this
	// machine are answered.
	Port string
	// Hosts are the names by which callers reach the host, with their ports, as in a Host header. Some
	// hosts pass on that header, and requests below /api with one of these names are then answered,
	// too.
	Hosts []string
	// Access says who checks the keys of requests.
	Access Access
	// Secret is the secret that the host sends with each request; empty if the host sends none.
	Secret string
	// BasePath is the path below which callers reach the app; empty for none. A host that sends the secret names the path
	// itself, in the header [api.PrefixHeader].
	BasePath string
	// UserScope is what users may do whom a proxy has signed in, and who show no key.
	UserScope api.Scope

	Log     *slog.Logger       // messages are discarded when nil
	Metrics *telemetry.Metrics // the metrics of the process; new ones are made when nil
	// Ended is called after each invocation, possibly by several goroutines at once. The caller gets
	// the answer only after Ended returns, so Ended must not block. It may be nil.
	Ended func(telemetry.Span)
}

// defaultTimeout is below functionTimeout of host.json, which is five minutes. A function that
// takes longer than functionTimeout makes the host kill the whole process.
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

// dashboardRoute is the route of the function to which the host sends all requests for the
// dashboard. The dashboard itself finds the page for each path.
const dashboardRoute = "ui/{*path}"

var dashboardMethods = []string{http.MethodGet, http.MethodPost}

// New makes the handler for all HTTP requests. It answers GET / at once, even when the services
// cannot be opened, because the host uses that request to check that the process is up.
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
	// A rate needs the series that was there before the first failure.
	s.Metrics.Errors.Add(0, "invocation", string(fault.Internal))
	for _, name := range triggerNames {
		s.Metrics.Invocations.Add(0, name, telemetry.OutcomeFailed)
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

// folded returns a request whose path has the form that the mux expects: in lower case and without
// a trailing slash. Hosts ignore both differences, and ids are in lower case anyway. The name of a
// field keeps its case.
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

// newDashboard makes the pages for people. The pages call the API in the same process; the API
// finds the caller in the context of the request.
func newDashboard(served http.Handler, log *slog.Logger) http.Handler {
	client := &http.Client{Transport: wire.InProcess{Handler: served}}
	return ui.New(ui.Options{Client: api.NewClient("http://in.process", "", client), API: served, Log: log})
}

// admit refuses every caller except the host. The port is on loopback, but any program on the
// machine could connect to it and call functions without a key, and so could a web page in a
// browser there. A web page cannot choose the Host header, which must be this server's own address.
// Nor can a page add the header with the secret, unless this server permits it. A caller that knows
// the secret is the host that started this process, so admit trusts what the caller says about
// forwarded requests. A host that sends no secret is trusted because it is on loopback.
func (s *server) admit(next http.Handler) http.Handler {
	own := []string{net.JoinHostPort("127.0.0.1", s.Port), net.JoinHostPort("localhost", s.Port),
		net.JoinHostPort("::1", s.Port)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get(api.HostSecretHeader)
		switch {
		case s.Port != "" && !slices.Contains(own, r.Host) && !s.passedOn(r):
			s.misdirected(w, r)
		case subtle.ConstantTimeCompare([]byte(said), []byte(s.Secret)) != 1 && s.Secret != "":
			wire.Problem(w, http.StatusForbidden,
				"only the Functions host that started this handler may call it; call the host's port")
		case s.Secret != "":
			wire.ServeBelow(r.Header.Get(api.PrefixHeader), w, r, next)
		default:
			wire.ServeBelow(s.BasePath, w, r, next) // the header may be a stranger's
		}
	})
}

// gzipTag is the end of a compressed answer's ETag. An answer and its compressed form must not have
// the same ETag (RFC 9110 section 8.8.3.3).
const gzipTag = "-gzip"

// compressed compresses answers, while they are written, for callers that accept gzip. It leaves
// small answers as they are.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.SuffixETag(gzipTag),
		gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		panic(err) // unreachable: the options are constant
	}
	next = wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known := r.Header.Get("If-None-Match"); strings.Contains(known, gzipTag+`"`) {
			r = r.Clone(r.Context())
			r.Header.Set("If-None-Match", strings.ReplaceAll(known, gzipTag+`"`, `"`))
		}
		next.ServeHTTP(w, r)
	})
}

// compressible reports whether answers of a media type are compressed. HTML is never compressed. A
// page of the dashboard contains the token of the visitor's forms, and possibly text that an
// attacker chose. If such a page were compressed, its length would reveal the token to anyone who
// can watch the network (BREACH).
func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || strings.Contains(media, "html") {
		return false
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "jsonl") ||
		strings.HasSuffix(media, "xml")
}

// ToProxy is the advice for operators whose Functions host does not pass on requests as Tidemark needs them.
const ToProxy = "set customHandler.enableProxyingHttpRequest to true in host.json"

// passedOn reports whether a host has passed on a request with the Host header of its caller, as
// hosts do with enableForwardingHttpRequest. Such a header proves as much as the port's own address
// does: a web page cannot choose it, and the names in [Options.Hosts] lead to this app only. A host
// passes on only requests below /api; to call triggers, it uses the address of the port.
func (s *server) passedOn(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.URL.Path), "/api/") &&
		slices.ContainsFunc(s.Hosts, func(known string) bool { return known != "" && strings.EqualFold(known, r.Host) })
}

// misdirected refuses a request for another name than the port's. Such a request may come from a
// web page in a browser on this machine, or from a host whose callers use a name that is not in
// [Options.Hosts].
func (s *server) misdirected(w http.ResponseWriter, r *http.Request) {
	s.warned.Do(func() {
		s.Log.WarnContext(r.Context(), "requests with another name than the handler's are refused: where a Functions "+
			"host passes on the names that its callers use, "+ToProxy+", or add the names to ALLOWED_HOSTS", "host", r.Host)
	})
	wire.Problem(w, http.StatusMisdirectedRequest, fmt.Sprintf("this port belongs to the Functions host; call the "+
		"host's. If this is the host's, it has passed on the name %.100q: %s, or add that name to ALLOWED_HOSTS",
		r.Host, ToProxy))
}

// explained answers the requests that a host sends as messages to functions. A host does so when
// neither enableProxyingHttpRequest nor enableForwardingHttpRequest is set. The answer is for the
// caller of the host.
func (s *server) explained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if r.Method != http.MethodPost || name == "" || strings.Contains(name, "/") ||
			isTrigger("/"+strings.ToLower(name)) || r.Header.Get(invocationHeader) == "" || r.Header.Get(forwardedFor) != "" {
			next.ServeHTTP(w, r)
			return
		}
		s.Log.ErrorContext(r.Context(), "the Functions host sends HTTP requests as messages, so all of them fail: "+ToProxy,
			"function", name)
		wire.JSON(w, http.StatusOK, result{Logs: []string{}, Outputs: map[string]any{"res": map[string]any{
			"statusCode": http.StatusInternalServerError,
			"headers":    map[string]string{"Content-Type": "text/plain; charset=utf-8"},
			"body":       "This app cannot answer, because its Functions host sends requests as messages: " + ToProxy + ".\n",
		}}})
	})
}

// routed serves the requests for which the mux has a route. It answers all others with a problem:
// 405 with the header Allow if only the method is wrong, else 404 with a list of the routes.
//
// By itself, a host answers 404 with an empty body when no function.json lists the method of a
// request. The function ZUnknownRoute therefore accepts every path and method below /api, and the
// host passes such requests to routed. Hosts try routes in the order of their functions' names, so
// this function has a name that sorts last.
func (s *server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wanted := folded(r)
		answer, pattern := mux.Handler(wanted)
		if pattern != "" {
			mux.ServeHTTP(w, wanted)
			return
		}
		refusal := &headOnly{header: http.Header{}}
		answer.ServeHTTP(refusal, wanted)
		if allow := refusal.header.Get("Allow"); refusal.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			wire.Problem(w, refusal.status, fmt.Sprintf("%.20s is no method of %.200s: it takes %s", r.Method, r.URL.Path,
				allow))
			return
		}
		wire.Problem(w, http.StatusNotFound, fmt.Sprintf("no route %.20s %.200s; there are %s",
			r.Method, r.URL.Path, strings.Join(known(), ", ")))
	})
}

// known returns the routes in the form in which callers write them.
func known() (out []string) {
	for _, e := range api.Routes() {
		out = append(out, e.Method+" /api/"+e.Path)
	}
	slices.Sort(out)
	return out
}

// headOnly keeps the status and the header of an answer, and drops the body.
type headOnly struct {
	header http.Header
	status int
}

func (h *headOnly) Header() http.Header         { return h.header }
func (h *headOnly) WriteHeader(status int)      { h.status = status }
func (h *headOnly) Write(b []byte) (int, error) { return len(b), nil }

func (s *server) serveRoute(e *api.Endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := wire.MayCall(r.Context(), e); err != nil {
			s.answerError(w, r, err)
			return
		}
		services, err := s.open(r.Context())
		if err != nil {
			s.answerError(w, r, s.unavailable(r, err))
			return
		}
		status, body, err := services.routes[e].Answer(r)
		if e.Scope.Covers(api.ScopeWrite) { // a read defers nothing, and has to work while the disk is full
			err = services.flushed(r.Context(), err)
		}
		s.noteAct(r, e, err)
		if err != nil {
			s.answerError(w, r, err)
			return
		}
		if c, ok := body.(wire.Writer); ok {
			c.WriteAnswer(w, status)
			return
		}
		wire.JSON(w, status, body)
	}
}

// unavailable turns an error from opening the services into one that callers may see.
func (s *server) unavailable(r *http.Request, err error) error {
	s.Log.ErrorContext(r.Context(), "services are not available", "err", err)
	return fault.New(fault.Unavailable, "%s", health.Message(err, "storage or index cannot be reached; try again shortly"))
}

// noteAct logs who changed something. Reads are not logged: the time of each key's last use is enough.
func (s *server) noteAct(r *http.Request, e *api.Endpoint, err error) {
	if actor := telemetry.From(r.Context()).Actor; actor != "" && e.Scope.Covers(api.ScopeWrite) {
		s.Log.InfoContext(r.Context(), "asked by a key", "route", e.Pattern(), "path", r.URL.Path, "done", err == nil)
	}
}

// answerError sends an error as the answer, and logs the error if callers cannot correct it.
func (s *server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	kind := fault.KindOf(err)
	switch {
	case wire.Status(err) < http.StatusInternalServerError:
	case r.Context().Err() != nil:
		s.Log.DebugContext(r.Context(), "the caller left before the answer", "path", r.URL.Path, "kind", kind)
	default:
		s.Metrics.Errors.Add(1, "invocation", string(kind))
		s.Log.ErrorContext(r.Context(), "invocation failed", "path", r.URL.Path, "kind", kind, "err", err)
	}
	wire.Refuse(w, err)
}
