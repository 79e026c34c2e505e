package crawl

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// missed is the outcome of one more check that found the page missing, and what that now makes it: kind. The losses
// are those of its host.
func missed(
	it *registry.Item, kind schedule.Outcome, how string, config schedule.Config, l schedule.Losses, now time.Time,
) outcome {
	times := config.Next(it.Schedule(), kind, 0, now, 0).State.Missing // in a row
	o := outcome{kind: kind, why: how}
	switch kind {
	case schedule.Missing:
		o.why = fmt.Sprintf("%s: missing on %d of %d checks", how, times, config.GoneAfter)
	case schedule.Guarded:
		o.why = fmt.Sprintf("%s: held: %d of %d pages of the host went missing within a day; a second check follows",
			how, l.Gone+l.Reserved+1, l.Items)
	case schedule.Gone:
		o.note = fmt.Sprintf("%s on %s in a row", how, words.Count(times, "check"))
	}
	return o
}
