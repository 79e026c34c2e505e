package client

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
)

// TestStatusSaysWhatPagesWaitFor checks that a status names the hosts that cannot be reached or are paused, the pages
// that wait for them, and until when.
func TestStatusSaysWhatPagesWaitFor(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	away := func(host string, due int) api.HostStatus {
		return api.HostStatus{Host: host, Counts: api.Counts{Due: due}, Unreachable: &api.Unreachable{
			Why: "connection refused", NextTry: now.Add(3 * time.Minute)}}
	}
	busy := api.HostStatus{Host: "fine.example", Counts: api.Counts{Due: 7}}
	slow := api.HostStatus{Host: "slow.example", Counts: api.Counts{Due: 1200, DueAtLeast: true},
		PausedUntil: now.Add(time.Hour), PauseReason: "the site answers 429"}
	for _, c := range []struct {
		name  string
		hosts []api.HostStatus
		want  []string
	}{
		{"nothing is held up", []api.HostStatus{busy, {Host: "rests.example", PausedUntil: now.Add(time.Hour)}}, nil},
		{"one host", []api.HostStatus{busy, away("a.example", 1)},
			[]string{"1 host cannot be reached, 1 page waiting: a.example (connection refused, next try in 3 minutes)"}},
		{"a pause", []api.HostStatus{slow}, []string{
			"1 host paused, at least 1,200 pages waiting: slow.example (goes on in 1 hour, the site answers 429)"}},
		{"many", []api.HostStatus{away("a.example", 1), away("b.example", 2), away("c.example", 3), away("d.example", 4)},
			[]string{"4 hosts cannot be reached, 10 pages waiting: d.example (connection refused, next try in 3 minutes), " +
				"c.example (connection refused, next try in 3 minutes), b.example (connection refused, next try in 3 " +
				"minutes), 1 more"}},
	} {
		if diff := cmp.Diff(c.want, heldUp(api.SearchStatus{Hosts: c.hosts}, now)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.name, diff)
		}
	}
}
