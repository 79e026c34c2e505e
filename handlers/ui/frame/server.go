package frame

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// Server answers requests with views.
type Server struct {
	Templates Templates
	Client    *api.Client
	Clock     func() time.Time
	Log       *slog.Logger
	Acted     func() // called after each submitted form
}

// Serve answers requests with the page that a view makes.
func (s *Server) Serve(v View) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := Page{}, error(nil)
		if r.Method == http.MethodPost {
			err = ReadForm(r)
		}
		if err == nil {
			p, err = v(r)
		}
		if r.Method == http.MethodPost {
			s.Acted()
		}
		if err != nil {
			p = s.failed(r, err)
		}
		if p.To != "" {
			w.Header().Set("Location", Root+p.To)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		out := Shown{Title: p.Title, Path: r.URL.Path, Now: s.Clock().UTC(), Data: p.Data, Feed: cmp.Or(p.Feed, AllChanges),
			Flash: flashes[r.URL.Query().Get("done")], Doubtful: doubtful[r.URL.Query().Get("done")], Visitor: visitorOf(r)}
		if mode, err := api.GetTestMode.Call(r.Context(), s.Client, api.None{}); err == nil {
			out.TestMode = mode.IsTestMode
		}
		s.Templates.Write(w, s.Log, p, out)
	})
}

// failed returns the page that shows an error.
func (s *Server) failed(r *http.Request, err error) Page {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		s.Log.Error("dashboard failed", "path", r.URL.Path, "err", err)
		problem = &api.Problem{Title: "Something went wrong", Status: http.StatusInternalServerError,
			Detail: "the API gave an unexpected answer; see the log"}
	}
	return Page{Name: "problem", Title: problem.Title, Data: problem, Status: problem.Status}
}
