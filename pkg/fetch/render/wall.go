package render

import (
	"net"
	"sync/atomic"
)

// wall is the proxy of one page, which refuses everything. What comes here was missed by the interception of requests.
type wall struct {
	listener net.Listener
	came     atomic.Int64
	done     chan struct{}
}

func newWall() (*wall, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wall{listener: l, done: make(chan struct{})}
	go w.refuse()
	return w, nil
}

func (w *wall) refuse() {
	defer close(w.done)
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.came.Add(1)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // leaves no connection behind
		}
		_ = conn.Close()
	}
}

func (w *wall) address() string { return w.listener.Addr().String() }

func (w *wall) count() int { return int(w.came.Load()) }

func (w *wall) close() {
	_ = w.listener.Close()
	<-w.done
}
