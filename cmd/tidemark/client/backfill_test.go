package client

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// TestBackfillFrame checks that a run of very many sites stays on one screen.
func TestBackfillFrame(t *testing.T) {
	var b bytes.Buffer
	v := &terminal.View{Out: &b, Screen: terminal.Screen{Terminal: true, Width: 40}}
	run := api.BackfillRun{MaxURLs: 10}
	for range 40 {
		run.Progress = append(run.Progress, api.BackfillProgress{Source: "port", Note: strings.Repeat("long ", 40)})
	}
	v.Show(noon, nil, func() []string { return backfillPicture(run, v.Screen) })
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != watchedSites+3 || lines[len(lines)-1] != "  and 28 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	for _, l := range lines {
		if len([]rune(l)) > 40 {
			t.Errorf("longer than the screen: %q", l)
		}
	}
}
