package wire

import (
	"bytes"
	"io"
	"net/http"
)

// InProcess sends requests to a handler in the same process, without a network.
type InProcess struct{ http.Handler }

// RoundTrip implements [http.RoundTripper].
func (p InProcess) RoundTrip(r *http.Request) (*http.Response, error) {
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

// recorded keeps an answer.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorded) Header() http.Header         { return w.header }
func (w *recorded) WriteHeader(status int)      { w.status = status }
func (w *recorded) Write(b []byte) (int, error) { return w.body.Write(b) }
