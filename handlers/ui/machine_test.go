package ui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
)

// TestHolding checks that hosts with waiting work are listed with the reason, those with the most work first, and
// others are not.
func TestHolding(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	host := func(name string, c api.Counts) api.HostStatus { return api.HostStatus{Host: name, Counts: c} }
	paused := host("paused.example", api.Counts{Due: 2})
	paused.PausedUntil, paused.PauseReason = now.Add(time.Hour), "429"
	errors := func(n int) map[api.Status]int { return map[api.Status]int{api.StatusError: n} }
	var have []string
	for _, h := range holding([]api.HostStatus{
		host("well.example", api.Counts{Items: map[api.Status]int{api.StatusIndexed: 9}}),
		host("some-errors.example", api.Counts{Items: errors(1), ErrorRate: 0.1}),
		host("down.example", api.Counts{Items: errors(3), ErrorRate: 1}),
		host("slow.example", api.Counts{Due: 7}),
		paused,
	}, now) {
		have = append(have, h.Host+": "+h.Why)
	}
	want := []string{
		"slow.example: limited by the pace of the host",
		"paused.example: paused until 2026-03-01 13:00:00Z: 429",
		"down.example: 3 items could not be checked; retried automatically",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}
