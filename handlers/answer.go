package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

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
