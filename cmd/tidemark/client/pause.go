package client

import (
	"context"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// sayPause adds a line when a host is paused: because it asked for that, or because the day's budget is spent. Nothing
// of it is fetched then, however due it is. A status that cannot be read is not reported, because what was asked for
// has been answered by then. With --json nothing is added.
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
