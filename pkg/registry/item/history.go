package item

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// Bounds of an item's history and error message.
const (
	// MaxErrorMessage limits the number of characters in an error message (spec 003 §7.6, A13).
	MaxErrorMessage = 1024
	maxHistory      = 30        // number of decisions
	maxHistoryBytes = 12 * 1024 // well below the limit of 64 KiB for a property
)

// Decision is one line of an item's history: a decision and its reason.
type Decision struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
	Why  string    `json:"why"`
}

// SetError records an error message. A message of more than 1,024 characters is cut.
func (it *Item) SetError(message string) { it.ErrorMessage = words.ClipRunes(message, MaxErrorMessage) }

// Record adds a decision to the history. It drops the oldest decisions that exceed the bounds.
func (it *Item) Record(now time.Time, what, why string) {
	h := append(it.History, Decision{At: policy.Stamp(now), What: what, Why: words.ClipRunes(why, 300)})
	if len(h) > maxHistory {
		h = h[len(h)-maxHistory:]
	}
	for len(h) > 1 && jsonLen(h) > maxHistoryBytes {
		h = h[1:]
	}
	it.History = h
}

func jsonLen(v any) int {
	b, _ := json.Marshal(v) // Decisions always encode
	return len(b)
}

// mergeHistory adds other writers' decisions to those of a check, without duplicates. It drops the oldest decisions
// that exceed the bounds.
func mergeHistory(ours, theirs []Decision) []Decision {
	seen := map[Decision]bool{}
	for _, d := range ours {
		seen[d] = true
	}
	for _, d := range theirs {
		if !seen[d] {
			ours = append(ours, d)
		}
	}
	slices.SortStableFunc(ours, func(a, b Decision) int { return a.At.Compare(b.At) })
	return ours[max(0, len(ours)-maxHistory):]
}
