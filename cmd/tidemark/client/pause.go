package client

import (
	"context"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// sayPause prints a line if a host is paused, either because the host asked for a pause or because the day's budget
// is spent. During the pause no page of the host is fetched, not even one that is due. An error in reading the status
// is ignored, because the command's own request has already succeeded. With --json nothing is printed.
func sayPause(ctx context.Context, t *terminal.Terminal, s *command.Server, host string) {
	if t.JSON || host == "" {
		return
	}
	st, err := api.GetStatus.Call(ctx, s.Client(), api.StatusQuery{Host: host})
	if err != nil {
		return
	}
	now := t.Now()
	for _, h := range st.Hosts {
		if h.Host == host && h.PausedUntil.After(now) {
			t.Say("its host is left alone, goes on %s: %s", words.Relative(now, h.PausedUntil), terminal.Clean(h.PauseReason))
		}
	}
}
