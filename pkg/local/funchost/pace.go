package funchost

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// minBodyRate is the least rate, in bytes per second, that the web server of the real host accepts.
const minBodyRate = 240

var errSlowBody = fault.New(fault.Unavailable, "the body of the request did not arrive in time")

// pacedBody is a request's body that may neither stall for long nor arrive very slowly for ever, because each body
// occupies a connection. A body that keeps arriving is accepted, however large it is.
type pacedBody struct {
	io.ReadCloser
	conn   *http.ResponseController
	idle   time.Duration
	read   int64
	waited time.Duration
}

// paced sets a deadline for the body of r. It does so at once, even before the handler reads, because the server
// itself reads the part of a body that the handler leaves unread.
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
		_ = b.conn.SetReadDeadline(time.Time{}) // no deadline for the data after the body
	}
	return n, err
}

// patience returns the time within which the next bytes of a body must arrive.
func patience(idle time.Duration, read int64, waited time.Duration) time.Duration {
	return min(idle, idle+time.Duration(read)*time.Second/minBodyRate-waited)
}
