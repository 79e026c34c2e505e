package main

import "context"

// sayPause adds a line when a host asked for a pause, during which nothing of it is fetched
// however due it is. What was asked for has been answered by then, so a status that cannot be had
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
			p.say("its host asked for a pause: goes on %s", relative(now, h.PausedUntil))
		}
	}
}
