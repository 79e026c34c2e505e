package client

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// mostHeld limits how many hosts are named that keep pages waiting.
const mostHeld = 3

// heldUp says which hosts keep pages waiting, and until when: a line for those that cannot be reached, and one for
// those that are paused. The share of failed checks does not show it, because nothing is checked there.
func heldUp(st api.SearchStatus, now time.Time) (lines []string) {
	unreached := func(h api.HostStatus) string {
		if h.Unreachable == nil {
			return ""
		}
		return fmt.Sprintf("%s (%s, next try %s)", terminal.Clean(h.Host), terminal.Clean(h.Unreachable.Why),
			words.Relative(now, later(now, h.Unreachable.NextTry)))
	}
	paused := func(h api.HostStatus) string {
		if h.Unreachable != nil || h.Backlog() == 0 || !h.PausedUntil.After(now) {
			return ""
		}
		why := terminal.When(h.PauseReason != "", ", %s", terminal.Clean(h.PauseReason))
		return fmt.Sprintf("%s (goes on %s%s)", terminal.Clean(h.Host), words.Relative(now, h.PausedUntil), why)
	}
	return append(heldLine(st, "cannot be reached", unreached), heldLine(st, "paused", paused)...)
}

// heldLine makes one line of the hosts that the function describes; none if it describes none.
func heldLine(st api.SearchStatus, what string, describe func(api.HostStatus) string) []string {
	var names []string
	n, waiting, atLeast := 0, 0, false
	all := slices.Clone(st.Hosts)
	slices.SortStableFunc(all, func(a, b api.HostStatus) int { return cmp.Compare(b.Backlog(), a.Backlog()) })
	for _, h := range all {
		text := describe(h)
		if text == "" {
			continue
		}
		waiting, atLeast = waiting+h.Due, atLeast || h.DueAtLeast
		if n++; n <= mostHeld {
			names = append(names, text)
		}
	}
	if n == 0 {
		return nil
	}
	if n > mostHeld {
		names = append(names, words.Thousands(n-mostHeld)+" more")
	}
	pages := terminal.When(atLeast, "at least ") + words.Count(waiting, "page")
	return []string{fmt.Sprintf("%s %s, %s waiting: %s", words.Count(n, "host"), what, pages,
		terminal.Join(", ", names...))}
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
