package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// appState answers requests about the state of hosts and of the services that the app depends on.
type appState struct {
	Hosts          *registry.Hosts
	Jobs           *registry.Jobs
	Rebuilds       *rebuild.Service
	Filling        *filling
	Migrate        *migrate.Service
	Storage, Index pinger
	Generations    generationSet     // those of the index; nil where it has none
	Worker         *crawl.Worker     // knows whether any site can be reached
	Browser        *render.Renderer  // renders pages; nil if there is no browser
	Indexes        *activity.Indexes // notices instances with an index of their own; may be nil
	Metrics        *telemetry.Metrics
	Version        string
	Log            *slog.Logger

	statuses sharing[api.StatusQuery, api.SearchStatus]
}

// pinger is a service outside the process. Ping returns an error if the service does not answer or
// cannot be written to.
type pinger interface {
	Ping(ctx context.Context) error
}

// Routes returns the routes about the state of the app and its hosts.
func (h *appState) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.GetStatus, h.status),
		wire.On(api.GetHost, h.host),
		{Endpoint: api.GetHealth.Endpoint, Answer: h.health},
	}
}

// processHandlers answers requests about this process: its recent work and its settings.
type processHandlers struct {
	Metrics  *telemetry.Metrics
	Activity *activity.Log
	Settings map[string]string // the settings, without the values of secrets
	Sources  sources
}

// sources are where the settings of the program come from. Change changes some while it runs; its errors are Invalid,
// with the name of the setting, and Conflict.
type sources interface {
	Shown() []api.ServerSetting
	Change(api.SettingsPatch) error
}

// Routes returns the routes about this process.
func (h *processHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.GetMetrics, h.metrics),
		wire.On(api.GetActivity, h.lastHours),
		wire.On(api.GetConfig, h.config),
		wire.On(api.GetSettings, h.settings),
		wire.On(api.PatchSettings, h.changeSettings),
	}
}

// keyHandlers answers requests about the keys of the API.
type keyHandlers struct {
	Ring *keys.Ring
	Log  *slog.Logger
}

// Routes returns the routes about keys.
func (h *keyHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListKeys, h.listKeys),
		wire.OnAny(api.AddKey, h.addKey),
		wire.On(api.RemoveKey, h.removeKey),
	}
}

// apiDescription answers requests for the description of the API.
type apiDescription struct{}

// Routes returns the routes of the description.
func (apiDescription) Routes() []wire.Route {
	return []wire.Route{
		{Endpoint: api.GetOpenAPI.Endpoint, Answer: openAPI},
		{Endpoint: api.GetDocs.Endpoint, Answer: docs},
		{Endpoint: api.GetSchema.Endpoint, Answer: schemaOfFile},
	}
}

// metrics answers with the metrics of this process, for Prometheus. Each instance of the app has its own metrics.
func (h *processHandlers) metrics(_ context.Context, _ api.None) (any, error) {
	return exposition{h.Metrics}, nil
}

// exposition writes metrics as text.
type exposition struct{ *telemetry.Metrics }

func (e exposition) WriteAnswer(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", telemetry.TextType)
	w.WriteHeader(status)
	_ = e.WriteText(w) // an error means that the caller has disconnected
}

// lastHours returns the activity of the last hours.
func (h *processHandlers) lastHours(ctx context.Context, q api.ActivityQuery) (api.Activity, error) {
	report, err := h.Activity.Read(ctx, q.Hours)
	return activityJSON(report, time.Now().UTC()), err
}

func activityJSON(report activity.Report, now time.Time) api.Activity {
	return api.Activity{AsOf: now, From: report.From, Total: api.ActivityCounts(report.Total),
		Hours: wire.Each(report.Hours, func(h activity.Hour) api.ActivityHour {
			return api.ActivityHour{Hour: h.Begins, ActivityCounts: api.ActivityCounts(h.Counts)}
		})}
}

// config shows the settings of the app, which do not change while it runs (spec 001).
func (h *processHandlers) config(context.Context, api.None) (api.Config, error) {
	return api.Config{Settings: h.Settings}, nil
}

// settings shows where the settings come from.
func (h *processHandlers) settings(context.Context, api.None) (api.ServerSettings, error) {
	return api.ServerSettings{Settings: h.Sources.Shown()}, nil
}

// changeSettings changes settings in the settings file, which take effect at once.
func (h *processHandlers) changeSettings(ctx context.Context, q api.SettingsPatch) (out api.ServerSettings, err error) {
	if err := h.Sources.Change(q); err != nil {
		return out, err
	}
	return h.settings(ctx, api.None{})
}

// listKeys lists the keys.
func (h *keyHandlers) listKeys(ctx context.Context, _ api.None) (api.Keys, error) {
	all, err := h.Ring.List(ctx)
	return keys.JSON(all), err
}

// addKey makes a key. This answer is the only one that contains the key.
func (h *keyHandlers) addKey(ctx context.Context, q api.KeyRequest) (any, error) {
	k, secret, err := h.Ring.Add(ctx, q.Name, q.Scope)
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(ctx, "key added", "key", k.Name, "scope", k.Scope)
	return wire.Unkept{Body: api.NewKey{Key: k.JSON(), Secret: secret}}, nil
}

// removeKey removes a key.
func (h *keyHandlers) removeKey(ctx context.Context, q api.KeyName) (api.Key, error) {
	k, err := h.Ring.Remove(ctx, q.Name)
	if err == nil {
		h.Log.InfoContext(ctx, "key removed", "key", k.Name)
	}
	return k.JSON(), err
}

// openAPI answers with the description of all routes as a JSON document, for programs.
func openAPI(r *http.Request) (int, any, error) {
	_, err := wire.Decode[api.None](r, api.GetOpenAPI.Endpoint)
	body := openapi.Below(openapi.JSON, wire.Prefix(r.Context()))
	return http.StatusOK, built{r: r, body: body, mediaType: "application/json; charset=utf-8",
		policy: "default-src 'none'"}, err
}

// docs answers with the description of all routes as a web page, for people.
func docs(r *http.Request) (int, any, error) {
	_, err := wire.Decode[api.None](r, api.GetDocs.Endpoint)
	page, policy := openapi.Page()
	page = openapi.Below(page, wire.Prefix(r.Context()))
	return http.StatusOK, built{r: r, body: page, mediaType: "text/html; charset=utf-8", policy: policy}, err
}

// schemaOfFile answers with the JSON schema of a file that people write, for their editors.
func schemaOfFile(r *http.Request) (int, any, error) {
	req, err := wire.Decode[api.SchemaName](r, api.GetSchema.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	body, err := tidemark.Schemas.ReadFile("schemas/" + req.Name + ".json")
	if err != nil {
		return 0, nil, fault.Field("name", "there are schemas of rules and of sites, not of %.40q", req.Name)
	}
	return http.StatusOK, built{r: r, body: body, mediaType: "application/json; charset=utf-8",
		policy: "default-src 'none'"}, nil
}

// built is an answer that was made when the program was built. Its address may contain a function
// key, so browsers are told not to send that address in the Referer header when a link is followed.
type built struct {
	r         *http.Request
	body      []byte
	mediaType string
	policy    string // the Content-Security-Policy
}

// WriteAnswer implements [wire.Writer].
func (b built) WriteAnswer(w http.ResponseWriter, _ int) {
	h := w.Header()
	h.Set("Content-Type", b.mediaType)
	h.Set("Content-Security-Policy", b.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", wire.Revalidated)
	wire.Tagged(w, b.r, b.body)
}

// sharing lets callers who ask for the same thing at the same time share one answer. An answer is
// read only after all its callers have asked, so a caller never misses the effect of an earlier
// action. For each thing, at most one answer is being read and one is waiting to be read. The zero
// value is ready to use.
type sharing[K comparable, V any] struct {
	mu    sync.Mutex
	asked map[K]*flights[V]
}

// flights are the running and the waiting read of one thing.
type flights[V any] struct {
	running *flight[V]
	waiting *flight[V] // begins when running has ended; callers may still join it
}

// A flight is one read.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// get returns an answer from read, which may have been called for another caller. The read
// continues when that caller disconnects, but ends at that caller's deadline.
func (s *sharing[K, V]) get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	f, before, first := s.join(key)
	if !first {
		select {
		case <-f.done:
			return f.value, f.err
		case <-ctx.Done():
			return f.value, ctx.Err()
		}
	}
	if before != nil {
		<-before.done
		s.begin(key, f)
	}
	f.err = fault.New(fault.Internal, "the answer could not be made") // the error if read panics
	defer s.end(key, f)
	kept := context.WithoutCancel(ctx)
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		kept, cancel = context.WithDeadline(kept, deadline)
		defer cancel()
	}
	f.value, f.err = read(kept)
	return f.value, f.err
}

// join returns the flight whose answer a new caller gets, and the flight before it. The first
// caller of a flight calls read, after the flight before has ended.
func (s *sharing[K, V]) join(key K) (f, before *flight[V], first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[K]*flights[V]{}
	}
	all := s.asked[key]
	if all != nil && all.waiting != nil {
		return all.waiting, nil, false
	}
	f = &flight[V]{done: make(chan struct{})}
	if all == nil {
		s.asked[key] = &flights[V]{running: f}
		return f, nil, true
	}
	all.waiting = f
	return f, all.running, true
}

func (s *sharing[K, V]) begin(key K, f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.asked[key] = flights[V]{running: f}
}

func (s *sharing[K, V]) end(key K, f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked[key].waiting == nil {
		delete(s.asked, key)
	}
	close(f.done)
}
