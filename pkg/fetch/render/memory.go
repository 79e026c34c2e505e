package render

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// watchMemory stops the scripts of a page whose processes need more memory than the bound, and ends the largest one if
// they go on. It knows the processes of a Chromium that was started here only; others have to be bounded where they
// run.
func (t *tab) watchMemory(ctx context.Context) {
	if t.b.process == nil {
		return
	}
	most := t.r.o.MaxMemory
	for wallclock.Pause(ctx, 100*time.Millisecond) == nil {
		total, _ := t.b.process.Memory()
		if total > most {
			t.stopScripts(BoundMemory)
		}
		if total > most+most/4 {
			t.b.process.KillLargest()
		}
	}
}
