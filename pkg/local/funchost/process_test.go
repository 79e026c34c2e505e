package funchost

import (
	"fmt"
	"os"
	"testing"
)

// The system could assign an ephemeral port to another program before the handler binds it. That program's answer
// would then be mistaken for the handler's.
func TestHandlerPortsAreNotEphemeral(t *testing.T) {
	first, last := 32_768, 65_535
	if b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		if _, err := fmt.Sscan(string(b), &first, &last); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		port, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		if port < 1024 || port >= first && port <= last {
			t.Fatalf("port %d, which the system gives to others, too: %d to %d", port, first, last)
		}
	}
}
