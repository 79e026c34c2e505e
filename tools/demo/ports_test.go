package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
)

// A port that is taken is named before anything starts, with what takes another (S13).
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

// takePort listens on a port. Neither it nor those before it are ports that the system hands out by itself.
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

// What listens on the other loopback is what localhost may lead to.
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
