package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// checkPorts says which port of the demo is taken. What listens there would answer in place of the site, and
// every page would be an Error for no reason that shows.
func checkPorts(first int, storage string) error {
	needed := []string{"Tidemark", "the site"}
	if storage == "azurite" {
		needed = append(needed, "Azurite", "Azurite", "Azurite")
	}
	for i, whose := range needed {
		if taken(first + i) {
			return fmt.Errorf("port %d is in use, which %s of the demo needs: stop what uses it, or choose another first port, "+
				"such as `make demo DEMO_PORT=%d`", first+i, whose, first+100)
		}
	}
	return nil
}

// taken reports whether somebody listens on a port of this machine. Either loopback may be what localhost leads to.
func taken(port int) bool {
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			_ = l.Close()
		case host == "127.0.0.1" || errors.Is(err, syscall.EADDRINUSE): // else there is no IPv6 here
			return true
		}
	}
	return false
}
