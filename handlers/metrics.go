package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/telemetry"
)

// metrics answers the numbers of this process, for Prometheus. Other instances have their own.
func (s *server) metrics(r *http.Request, _ *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	return http.StatusOK, exposition{s.Metrics}, nil
}

// exposition writes metrics as text.
type exposition struct{ *telemetry.Metrics }

func (e exposition) write(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", telemetry.TextType)
	w.WriteHeader(status)
	_ = e.WriteText(w) // the caller has gone: nobody to tell
}
