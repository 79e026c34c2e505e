package main

import "testing"

// TestS17Failures checks what the command prints of failures, and what it asks for (S17).
func TestS17Failures(t *testing.T) {
	performAll(t, []script{
		{name: "failures", args: []string{"failures", "--since", "7d", "--kind", "dns", "--host", "port.example"},
			asked: []string{"GET /api/failures?host=port.example&kind=dns&since=7d&top=50"},
			answers: []answered{{200, `{"failures":[{"at":"2026-03-01T11:05:00Z","kind":"dns","host":"port.example",
				"count":1200,"first":"the name is unknown","itemId":"url_a"}]}`}}, out: `
SINCE             HOST          PAGES  KIND  FIRST                ID
2026-03-01 11:05  port.example  1,200  dns   the name is unknown  url_a
`},
		{name: "none", args: []string{"failures"}, answers: []answered{{200, `{"failures":[]}`}}, out: "no failures\n"},
	})
}
