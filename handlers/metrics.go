package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

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
