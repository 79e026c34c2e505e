package main

import (
	"net/http"
	"testing"
)

// TestL3Health checks that the exit code alone says whether the server is healthy, as a container's healthcheck
// needs.
func TestL3Health(t *testing.T) {
	performAll(t, []script{
		{name: "well", args: []string{"health"}, answers: []answered{{200, `{"status":"ok","storage":"ok","index":"ok"}`}},
			out: "ok: storage ok, index ok\n", asked: []string{"GET /api/health"}},
		{name: "well enough", args: []string{"health"}, answers: []answered{{200,
			`{"status":"degraded","storage":"ok","index":"ok","warnings":["storage: slow, it answered after 3 seconds"]}`}},
			out: "degraded: storage ok, index ok\nstorage: slow, it answered after 3 seconds\n"},
		{name: "not well", args: []string{"health"}, code: 1, answers: []answered{
			{http.StatusServiceUnavailable, `{"status":"unavailable","storage":"the disk is full","index":"ok"}`}},
			out: "unavailable: storage the disk is full, index ok\n"},
		{name: "nobody answers", args: []string{"health"}, code: 1,
			env: map[string]string{"TIDEMARK_SERVER": "http://127.0.0.1:1"},
			err: "tidemark: no answer from http://127.0.0.1:1 (connection refused): start it with `tidemark start`, or name " +
				"another server with --server or TIDEMARK_SERVER\n"},
	})
}
