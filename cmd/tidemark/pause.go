package main

import "context"

// sayPause adds a line when a host is left alone, because it asked for a pause or what may be asked for
// in a day is spent. Nothing of it is fetched then, however due it is. What was asked for has been answered by then, so a status that cannot be had
// is not told; and with --json the answer stands alone.
func (p *program) sayPause(ctx context.Context, host string) {
	if p.json || host == "" {
		return
	}
	st, err := p.client().Status(ctx, host)
	if err != nil {
		return
	}
	now := p.now()
	for _, h := range st.Hosts {
		if h.Host == host && h.PausedUntil.After(now) {
			p.say("its host is left alone, goes on %s: %s", relative(now, h.PausedUntil), clean(h.PauseReason))
		}
	}
}
