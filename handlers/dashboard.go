package handlers

import (
	"log/slog"
	"net/http"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// newDashboard makes the pages for people. The pages call the API in the same process; the API finds the caller in
// the context of the request.
func newDashboard(served http.Handler, log *slog.Logger) http.Handler {
	client := &http.Client{Transport: wire.InProcess{Handler: served}}
	return ui.New(ui.Options{Client: api.NewClient("http://in.process", "", client), API: served, Log: log})
}
