package funchost

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	defaultBodyIdle = 30 * time.Second
	// minBodyRate in bytes a second is what the web server of the real host asks for.
	minBodyRate = 240
)

var errSlowBody = fault.New(fault.Unavailable, "the body of the request did not arrive in time")

// pacedBody is a request's body that may neither stand still for long nor trickle for ever: each of them
// holds a connection. One that moves gets through, however large.
type pacedBody struct {
	io.ReadCloser
	conn   *http.ResponseController
	idle   time.Duration
	read   int64
	waited time.Duration
}

// paced gives r a body with a deadline. It is set at once, for the server reads what a handler has left.
func paced(w http.ResponseWriter, r *http.Request, idle time.Duration) {
	if r.Body == http.NoBody {
		return
	}
	b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), idle: idle}
	_ = b.conn.SetReadDeadline(time.Now().Add(idle))
	r.Body = b
}

func (b *pacedBody) Read(p []byte) (int, error) {
	begun := time.Now()
	_ = b.conn.SetReadDeadline(begun.Add(patience(b.idle, b.read, b.waited)))
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.waited += time.Since(begun)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, errSlowBody
	}
	if err == io.EOF {
		_ = b.conn.SetReadDeadline(time.Time{}) // of what comes after the body
	}
	return n, err
}

// patience is how long the next bytes of a body may take.
func patience(idle time.Duration, read int64, waited time.Duration) time.Duration {
	return min(idle, idle+time.Duration(read)*time.Second/minBodyRate-waited)
}

// refuse answers what the host itself has to say against a request.
func refuse(w http.ResponseWriter, status int, detail string) {
	b, err := marshal(api.Problem{Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		b = []byte("{}")
	}
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	w.Write(b)
}

// refuseBody says why a body could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
	case errors.Is(err, errSlowBody):
		refuse(w, http.StatusRequestTimeout, errSlowBody.Error())
	default:
		refuse(w, http.StatusBadRequest, "the body of the request cannot be read")
	}
}
