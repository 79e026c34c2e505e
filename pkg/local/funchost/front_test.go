package funchost

import "testing"

// TestIsLocal checks that a host without keys answers only to names that no other site can have.
func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:7071": true, "127.0.0.1:7071": true, "127.8.9.10": true, "[::1]:7071": true,
		"[::1]":        true,
		"evil.example": false, "localhost.evil.example:7071": false, "10.0.0.7:7071": false, "": false,
		"127.0.0.1.evil.example": false,
	} {
		if have := isLocal(host); have != want {
			t.Errorf("%q: %v", host, have)
		}
	}
}
