//go:build linux

package render

import (
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// apart starts a Chromium in a network namespace of its own, which has nothing but a loopback interface, and returns an
// address at which it is reached. A container whose policy refuses everything is like that.
func apart(t *testing.T) string {
	port, pid := otherChromium(t, unix.CLONE_NEWNET)
	must(t, within(pid, loopbackUp))
	must(t, within(pid, func() error { return answers(port) }))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go passOn(conn, pid, port)
		}
	}()
	return "http://" + l.Addr().String()
}

// answers waits until something listens at a port, for at most two minutes.
func answers(port string) error {
	for last := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp4", "127.0.0.1:"+port)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(last) {
			return err
		}
	}
}

// passOn connects a connection to a port of the namespace of a process.
func passOn(conn net.Conn, pid int, port string) {
	defer conn.Close()
	var inside net.Conn
	err := within(pid, func() (err error) {
		inside, err = net.Dial("tcp4", "127.0.0.1:"+port)
		return err
	})
	if err != nil {
		return
	}
	defer inside.Close()
	go func() { _, _ = io.Copy(inside, conn); inside.Close() }()
	_, _ = io.Copy(conn, inside)
}

// within calls a function in the network namespace of a process. The thread ends with it.
func within(pid int, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/net")
		if err == nil {
			defer f.Close()
			err = unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}

// loopbackUp switches the loopback interface on.
func loopbackUp() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
}

// TestR2Apart checks that a browser elsewhere needs no network of its own: from a network namespace in which nothing
// answers, not even the proxy that it is given, it shows pages by what package fetch answers. Only root may make such a
// namespace.
func TestR2Apart(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may make a network namespace")
	}
	s := newSite(t)
	at := apart(t)
	r := newRenderer(t, render.Options{Endpoint: at})
	for _, path := range []string{"/react", "/frames", "/post"} {
		out, err := r.Render(t.Context(), render.Page{URL: s.URL + path})
		if err != nil || !strings.Contains(string(out.HTML), "harbour has 1 berths") {
			t.Errorf("%s: %v, %s", path, err, out.HTML)
		}
	}
	reachNothing(t, render.Options{Endpoint: at, Timeout: 20 * time.Second})
}
