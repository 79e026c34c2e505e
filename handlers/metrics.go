package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// metrics answers the numbers of this process, for Prometheus. Other instances have their own.
func metrics(_ context.Context, v *call, _ api.None) (any, error) {
	return exposition{v.metrics}, nil
}

// exposition writes metrics as text.
type exposition struct{ *telemetry.Metrics }

func (e exposition) WriteAnswer(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", telemetry.TextType)
	w.WriteHeader(status)
	_ = e.WriteText(w) // the caller has gone: nobody to tell
}
