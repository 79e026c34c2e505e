package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
)

// TestS13DemoNamesThePortInUse checks that a port in use is reported before anything starts, with the variable that
// chooses another (S13).
func TestS13DemoNamesThePortInUse(t *testing.T) {
	port := takePort(t)
	for first, tt := range map[int]struct{ storage, whose string }{
		port: {"embedded", "Tidemark"}, port - 1: {"embedded", "the site"}, port - 2: {"azurite", "Azurite"},
	} {
		err := checkPorts(first, tt.storage)
		want := fmt.Sprintf("port %d is in use, which %s of the demo needs", port, tt.whose)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "make demo DEMO_PORT=") {
			t.Errorf("from %d on: %v, want %q and what to set", first, err, want)
		}
	}
	if err := checkPorts(port-4, "embedded"); err != nil {
		t.Error(err)
	}
}

// takePort listens on a port. The system assigns neither this port nor the ones before it by itself.
func takePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			t.Cleanup(func() { _ = l.Close() })
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// TestS13DemoNamesThePortInUseOfIPv6 checks that a listener on the IPv6 loopback is found, because localhost may mean
// it.
func TestS13DemoNamesThePortInUseOfIPv6(t *testing.T) {
	taken, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Log("no IPv6 on this machine: ", err)
		return
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if err := checkPorts(port, "embedded"); err == nil {
		t.Errorf("port %d is taken, and nothing is said", port)
	}
}
