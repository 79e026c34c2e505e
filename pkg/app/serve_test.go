package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Work in flight when the process is asked to stop is answered before anything is closed.
func TestStopWaitsForWhatIsInWork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	begun, end, closed := make(chan struct{}), make(chan struct{}), make(chan error)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-end
		_, _ = io.WriteString(w, "done")
	})}
	go func() { closed <- until(ctx, server, listener) }()
	answer := make(chan string)
	go func() {
		res, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-begun
	stop()
	select {
	case err := <-closed:
		t.Fatalf("stopped before the answer: %v", err)
	case <-time.After(100 * time.Millisecond): // it waits
	}
	close(end)
	if have := <-answer; have != "done" {
		t.Errorf("answered %q", have)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
