package handlers

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/registry"
)

// AZ2: the report of a job counts what was done, and what was not because others have it.
func TestAZ2ReportOfAJob(t *testing.T) {
	for _, tt := range []struct {
		done, locked int
		want         string
	}{
		{2, 0, "2 of 2 items of a.example done"},
		{0, 2, "0 of 2 items of a.example done, 2 locked by other workers"},
		{1, 0, "1 of 2 items of a.example done"},
	} {
		job := registry.Job{Host: "a.example", Items: make([]registry.JobItem, 2),
			Counts: &registry.JobCounts{Done: tt.done, Locked: tt.locked}}
		if got := reportOf(job); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
