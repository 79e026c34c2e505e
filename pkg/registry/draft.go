package registry

import "time"

// A draft is an item that somebody only looks at, before they decide whether to watch it. It is checked and indexed as
// other items are. Its next check is at the end of its time at the latest, and then purges it.
//
// A draft becomes a lasting item as soon as anybody wants it: by a change of its settings, even one that changes
// nothing, by a rule for it alone, a mute, or another registration, also one of a run. It then starts anew if its time
// is over, because a worker may have begun to purge it.

// DraftTime is how long an item stays a draft.
const DraftTime = time.Hour

// DraftOver reports whether the item is a draft whose time is over: the next check purges it.
func (it *Item) DraftOver(now time.Time) bool {
	return !it.DraftUntil.IsZero() && !now.Before(it.DraftUntil)
}

// wanted makes a lasting item of a draft. It reports whether the item was one.
func (it *Item) wanted(now time.Time) bool {
	if it.DraftUntil.IsZero() {
		return false
	}
	if it.DraftOver(now) {
		*it = anew(it, now)
	}
	it.DraftUntil = time.Time{}
	return true
}
