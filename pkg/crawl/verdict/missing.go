package verdict

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Missed is the outcome of a check that found the page missing once more. The kind is what that makes of the page:
// missing, guarded or gone. The losses are those of its host.
func Missed(
	it *registry.Item, kind schedule.Outcome, how string, config schedule.Config, l schedule.Losses, now time.Time,
) Outcome {
	times := config.Next(it.Schedule(), kind, 0, now, 0).State.Missing // in a row
	o := Outcome{Kind: kind, Why: how}
	switch kind {
	case schedule.Missing:
		o.Why = fmt.Sprintf("%s: missing on %d of %d checks", how, times, config.GoneAfter)
	case schedule.Guarded:
		o.Why = fmt.Sprintf("%s: held: %d of %d pages of the host went missing within a day; a second check follows",
			how, l.Gone+l.Reserved+1, l.Items)
	case schedule.Gone:
		o.Note = fmt.Sprintf("%s on %s in a row", how, words.Count(times, "check"))
	}
	return o
}
