package ui

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestS13BarsAreAsFullAsTheySay checks that a bar beside "of at most n" is as full as the text states, and that a
// full bar is shown with the number of all existing addresses (S13).
func TestS13BarsAreAsFullAsTheySay(t *testing.T) {
	bar := func(done, of int) progressBar { return progressBar{Done: done, Of: of, What: "addresses found"} }
	for _, tt := range []struct {
		name    string
		status  string
		state   string
		n       int
		run, at found
	}{
		{"running", api.BackfillRunning, "running", 530, found{bar(530, 1500), "530 of at most 1,500"},
			found{bar(530, 500), "530 of at most 500"}},
		{"completed", api.BackfillCompleted, "done", 430, found{bar(430, 430), "430"},
			found{bar(430, 430), "430"}},
		{"completed with nothing", api.BackfillCompleted, "done", 0, found{bar(1, 1), "0"},
			found{bar(1, 1), "0"}},
		{"capped", api.BackfillCompleted, "done", 500, found{bar(500, 1500), "500 of at most 1,500"},
			found{bar(500, 500), "500 of at most 500"}},
		{"failed", api.BackfillFailed, "failed", 30, found{bar(30, 1500), "30 of at most 1,500"},
			found{bar(30, 500), "30 of at most 500"}},
		{"cancelled", api.BackfillCancelled, "running", 30, found{bar(30, 1500), "30 of at most 1,500"},
			found{bar(30, 500), "30 of at most 500"}},
	} {
		r := api.BackfillRun{Status: tt.status, Sources: []string{"a", "b", "c"}, MaxURLs: 10_000, MaxURLsPerSource: 500}
		r.Discovered = tt.n
		p := api.BackfillProgress{State: tt.state, BackfillCounts: r.BackfillCounts}
		if tt.name == "capped" {
			p.Note = "the cap is reached"
		}
		r.Progress = []api.BackfillProgress{p}
		tt.at.Bar.Done = min(tt.at.Bar.Done, tt.at.Bar.Of)
		if have := foundByRun(r); have != tt.run {
			t.Errorf("%s: run has %+v, want %+v", tt.name, have, tt.run)
		}
		if have := foundAt(r, p); have != tt.at {
			t.Errorf("%s: source has %+v, want %+v", tt.name, have, tt.at)
		}
	}
}
