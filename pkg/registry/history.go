package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Bounds of an item's history and error message.
const (
	// maxErrorMessage limits the number of characters in an error message (spec 003 §7.6, A13).
	maxErrorMessage = 1024
	maxHistory      = 30        // number of decisions, and two more until those of a check are shared
	maxHistoryBytes = 12 * 1024 // well below the limit of 64 KiB for a property
)

// Decision is one line of an item's history: a decision and its reason. A line may stand for a decision that several
// checks in a row made. Then At is the last time, Since the first, and Times how often; otherwise Since and Times are
// zero.
type Decision struct {
	At    time.Time `json:"at"`
	What  string    `json:"what"`
	Why   string    `json:"why"`
	Since time.Time `json:"since,omitzero"`
	Times int       `json:"times,omitempty"`
	Undo  string    `json:"undo,omitempty"` // the id of the record that takes it back
}

// began returns when the decision was first made.
func (d Decision) began() time.Time {
	if d.Times > 1 {
		return d.Since
	}
	return d.At
}

// after returns the decision as one that also stands for an earlier line with the same decision.
func (d Decision) after(earlier Decision) Decision {
	d.Since, d.Times = earlier.began(), max(earlier.Times, 1)+max(d.Times, 1)
	return d
}

// SetError records an error message. A message of more than 1,024 characters is cut.
func (it *Item) SetError(message string) { it.ErrorMessage = words.ClipRunes(message, maxErrorMessage) }

// Record adds a decision to the history. It drops the oldest decisions that exceed the bounds.
func (it *Item) Record(now time.Time, what, why string) {
	h := append(it.History, Decision{At: policy.Stamp(now), What: what, Why: words.ClipRunes(why, 300)})
	h = h[max(0, len(h)-maxHistory-2):]
	for len(h) > 1 && jsonLen(h) > maxHistoryBytes {
		h = h[1:]
	}
	it.History = h
}

// recordDone adds the decision of somebody, which a record takes back.
func (it *Item) recordDone(now time.Time, what, why string, by *undo.Record) {
	it.Record(now, what, why)
	if it.Undo = by.Ref(); it.Undo != nil {
		it.History[len(it.History)-1].Undo = it.Undo.ID
	}
}

// The decisions of a check that found nothing: the first is why there was nothing, and the last is the next check.
const (
	unchanged = "unchanged"
	scheduled = "scheduled"
)

// Folded returns a history in which the last two decisions, which are those of a check that found nothing, are added to
// the two decisions before them, if these are of such a check, too, with the same result. The decision about the next
// check is added only if the interval is steady and the reason is the same but for its numbers; otherwise both
// decisions stay.
func Folded(history []Decision, steady bool) []Decision {
	n := len(history) - 4
	if n < 0 {
		return history
	}
	was, next, is, now := history[n], history[n+1], history[n+2], history[n+3]
	if was.What != unchanged || is.What != unchanged || was.Why != is.Why || next.What != scheduled ||
		now.What != scheduled {
		return history
	}
	folded := slices.Clone(history[:n])
	if steady && numberless(next.Why) == numberless(now.Why) {
		now = now.after(next)
	} else {
		folded = append(folded, next)
	}
	return append(folded, is.after(was), now)
}

// numberless returns a text without its digits.
func numberless(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

func jsonLen(v any) int {
	b, _ := json.Marshal(v) // Decisions always encode
	return len(b)
}

// mergeHistory adds other writers' decisions to those of a check, without duplicates. A line that one of the two has
// continued is kept as the one that goes on longer. It drops the oldest decisions that exceed the bounds.
func mergeHistory(ours, theirs []Decision) []Decision {
	type line struct {
		what, why string
		began     time.Time
	}
	lineOf := func(d Decision) line { return line{d.What, numberless(d.Why), d.began()} }
	ours = slices.Clone(ours)
	at := map[line]int{}
	for i, d := range ours {
		at[lineOf(d)] = i
	}
	for _, d := range theirs {
		if i, ok := at[lineOf(d)]; !ok {
			ours = append(ours, d)
		} else if d.Times > ours[i].Times {
			ours[i] = d
		}
	}
	slices.SortStableFunc(ours, func(a, b Decision) int { return a.At.Compare(b.At) })
	return ours[max(0, len(ours)-maxHistory):]
}
