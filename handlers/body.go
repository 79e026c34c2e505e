package handlers

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	// hostMaxBody is the largest body, in bytes, that the Functions host passes on. No more than this
	// needs to be discarded.
	hostMaxBody = 104_857_600
	// defaultBodyTime is well below the host's functionTimeout. A function that takes longer than
	// functionTimeout makes the host kill the whole process.
	defaultBodyTime = 2 * time.Minute
)

// A body reads a request's body up to wire.MaxBody; reading more fails with an
// [http.MaxBytesError]. The host sends the whole body before it reads the answer. If the connection
// is closed earlier, the caller gets a 500 without a body. So, unlike [http.MaxBytesReader], body
// leaves the connection open, and discards the rest of the request before the answer begins.
type body struct {
	io.ReadCloser
	conn  *http.ResponseController
	limit time.Duration
	left  int64
	ended bool
}

// bounded limits the size of r's body and the time that the body may take to arrive. The answer
// must be written to the writer that bounded returns.
func bounded(w http.ResponseWriter, r *http.Request, limit time.Duration) http.ResponseWriter {
	if r.Body == nil || r.Body == http.NoBody {
		return w
	}
	b := &body{ReadCloser: r.Body, conn: http.NewResponseController(w), limit: limit, left: wire.MaxBody}
	_ = b.conn.SetReadDeadline(time.Now().Add(limit)) // fails for a request that has no connection
	r.Body = b
	return &discardsRest{ResponseWriter: w, body: b}
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &http.MaxBytesError{Limit: wire.MaxBody}
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, &http.MaxBytesError{Limit: wire.MaxBody}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, fault.New(fault.Unavailable, "the body did not arrive within %v: %w", b.limit, err)
	}
	if err == io.EOF {
		b.end()
	}
	return n, err
}

// discard reads and drops the unread part of the body.
func (b *body) discard() {
	if b.ended {
		return
	}
	// If reading the rest fails, the answer is still worth sending; the server then closes the connection.
	if _, err := io.CopyN(io.Discard, b.ReadCloser, hostMaxBody); err == io.EOF {
		b.end()
	}
	b.ended = true
}

// end removes the deadline, which would otherwise apply to the next request on the connection, too.
func (b *body) end() {
	b.ended = true
	_ = b.conn.SetReadDeadline(time.Time{})
}

// discardsRest is a writer that discards the rest of the request's body before it writes the answer.
type discardsRest struct {
	http.ResponseWriter
	body *body
}

func (t *discardsRest) WriteHeader(status int) {
	t.body.discard()
	t.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (t *discardsRest) Write(p []byte) (int, error) {
	t.body.discard()
	return t.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for [http.ResponseController].
func (t *discardsRest) Unwrap() http.ResponseWriter { return t.ResponseWriter }
