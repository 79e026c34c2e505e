package handlers

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/api"
)

// dashboard is the pages for people. They ask the API that the same process serves, without a network
// between; whose key it is, the request's context says.
func newDashboard(served http.Handler, log *slog.Logger) http.Handler {
	return ui.New(ui.Options{Client: api.NewClient("http://in.process", "", &http.Client{Transport: inProcess{served}}),
		API: served, Log: log})
}

// inProcess answers requests by a handler.
type inProcess struct{ http.Handler }

// RoundTrip implements [http.RoundTripper].
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	p.ServeHTTP(w, r)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Header: w.header, Request: r,
		Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}, nil
}

// recorded is an answer that is kept.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorded) Header() http.Header         { return w.header }
func (w *recorded) WriteHeader(status int)      { w.status = status }
func (w *recorded) Write(b []byte) (int, error) { return w.body.Write(b) }
