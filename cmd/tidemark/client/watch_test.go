package client

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestProgress(t *testing.T) {
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	var g progress
	for _, step := range []struct {
		name       string
		left, s    int
		done, peak int
		eta        time.Duration
		known      bool
	}{
		{"no pace yet", 10, 0, 0, 10, 0, false},
		{"half way", 5, 10, 5, 10, 10 * time.Second, true},
		{"more was added", 20, 20, 0, 20, 0, false},
		{"a quarter", 15, 30, 5, 20, 30 * time.Second, true},
		{"the end", 0, 60, 20, 20, 0, true},
	} {
		g.see(step.left, at(step.s))
		eta, known := g.eta(at(step.s))
		if g.done() != step.done || g.peak != step.peak || eta != step.eta || known != step.known {
			t.Errorf("%s: have %d of %d, %s %t; want %d of %d, %s %t", step.name, g.done(), g.peak, eta, known,
				step.done, step.peak, step.eta, step.known)
		}
	}
}

// TestFrameFits checks that no line is longer than the screen is wide. Drawing over the picture relies on that.
func TestFrameFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := api.SearchStatus{Counts: api.Counts{Due: rapid.IntRange(0, 1e9).Draw(t, "due"),
			InFlight: rapid.IntRange(0, 50).Draw(t, "inFlight")}}
		for range rapid.IntRange(0, 40).Draw(t, "hosts") {
			st.Hosts = append(st.Hosts, api.HostStatus{Host: rapid.String().Draw(t, "host"), PausedUntil: noon.Add(time.Hour)})
		}
		var b strings.Builder
		v, g := &terminal.View{Out: &b, Screen: terminal.Screen{Terminal: true, Width: rapid.IntRange(20, 200).Draw(t,
			"width")}}, &progress{}
		g.see(st.Backlog(), noon)
		v.Show(noon, nil, func() []string { return g.picture(st, v.Screen, nil, noon) })
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, l := range lines {
			if n := len([]rune(l)); n > v.Screen.Width || strings.ContainsAny(l, "\n\r\x1b") {
				t.Fatalf("%d runes on %d columns: %q", n, v.Screen.Width, l)
			}
		}
		if want := watchedHosts + 7; len(lines) > want {
			t.Fatalf("%d lines, want at most %d", len(lines), want)
		}
	})
}
