package verdict

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Missed returns the outcome of a check that found the page missing again. The decision that was made is given as
// kind: missing, guarded or gone. The argument losses contains the losses of the page's host.
func Missed(
	it *registry.Item, kind schedule.Outcome, how string, config schedule.Config, l schedule.Losses, now time.Time,
) Outcome {
	times := config.Next(it.Schedule(), kind, 0, now, 0).State.Missing // missing answers in a row
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
