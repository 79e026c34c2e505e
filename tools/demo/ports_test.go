package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// A port that is taken is named before anything starts, with what takes another (S13).
func TestS13DemoNamesThePortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
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
