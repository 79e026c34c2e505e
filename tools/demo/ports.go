package main

import (
	"fmt"
	"net"
)

// checkPorts says which port of the demo is taken. What listens there would answer in place of the site, and
// every page would be an Error for no reason that shows.
func checkPorts(first int, storage string) error {
	needed := []string{"Tidemark", "the site"}
	if storage == "azurite" {
		needed = append(needed, "Azurite", "Azurite", "Azurite")
	}
	for i, whose := range needed {
		l, err := net.Listen("tcp", fmt.Sprintf("localhost:%d", first+i))
		if err != nil {
			return fmt.Errorf("port %d is in use, which %s of the demo needs: stop what uses it, or choose another first port, "+
				"such as `make demo DEMO_PORT=%d`", first+i, whose, first+100)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}
