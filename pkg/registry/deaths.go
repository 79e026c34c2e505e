package registry

import (
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// A worker that dies leaves its items locked, and any of them may have killed it (S1). An outage does the same, so the
// first death says little: the items are checked again as usual, and for each the worker records that its check has
// begun. Only an item whose check has begun can be the cause of a further death.

const (
	// suspectDeaths is the number of deaths from which on an item is tried alone.
	suspectDeaths = 2
	// deadlyDeaths is the number of deaths from which on an item is deadly: it was tried alone twice, because a worker
	// may also be killed from outside.
	deadlyDeaths = 4
	// suspectPause is the pause before a suspect is tried, which may end the process again: the Functions host restarts
	// its handler only so often. A longer pause would keep pages waiting that were in work at two kills from outside.
	suspectPause = 30 * time.Second
	// alonePause is the pause after a death while the item was tried alone.
	alonePause = time.Hour
)

// Suspect reports whether the item was in work at two deaths, so that it is tried alone.
func (it *Item) Suspect() bool { return it.Deaths >= suspectDeaths }

// countDeath records on a locked item that its worker has died.
func (it *Item) countDeath(now time.Time) {
	if it.Deaths > 0 && !it.Begun {
		return
	}
	died := policy.Earlier(now, it.LockedUntil) // or before
	it.Deaths++
	switch it.Begun = false; {
	case it.Deaths == suspectDeaths:
		it.NotBefore = died.Add(suspectPause)
	case it.Deaths > suspectDeaths:
		it.NotBefore = died.Add(alonePause)
	}
}

// interrupt records on an item that is to be locked whether its last worker has finished, and whether that worker has
// died.
func (it *Item) interrupt(now time.Time) {
	it.Interrupted = it.LockOwner != ""
	if it.Interrupted && !it.LockedUntil.IsZero() { // the last worker did not release the item
		it.countDeath(now)
	}
	it.Deadly = it.Deaths >= deadlyDeaths
}
