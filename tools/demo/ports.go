package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// checkPorts returns an error if a port that the demo needs is in use; the error names that port. The program that
// listens there would answer instead of the site, and every page would get the status Error without a visible reason.
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

// taken reports whether a program listens on a port of this machine, on either loopback address, because localhost
// may mean either.
func taken(port int) bool {
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			_ = l.Close()
		case host == "127.0.0.1" || errors.Is(err, syscall.EADDRINUSE): // any other error means that there is no IPv6
			return true
		}
	}
	return false
}
