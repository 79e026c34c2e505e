package walk

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// plan decides whether the walk goes on, and when. It waits for the crawl when nothing else can be done now. A walk for
// which the crawl has done nothing for an hour, or for as long as the step says, ends: the site may be paused, or its
// budget for the day spent.
func (v *walking) plan() {
	w, now := v.walk, v.Clock()
	v.out.More, v.out.Acted = true, v.acted
	if v.acted {
		w.Idle, w.IdleFrom = 0, time.Time{}
	}
	switch waits := w.Open + w.Undecided; {
	case v.out.Wait > 0:
		w.Idle, w.IdleFrom = 0, time.Time{}
	case v.acted && (v.Dry || v.left || v.isRead()):
	case v.isRead() && w.Undecided == 0:
		v.out.More, v.out.Left, v.out.Note = false, w.Waiting, w.note()
	case w.Idle > 0 && now.Sub(w.IdleFrom) >= v.Patience:
		v.out.More, v.out.Left, v.out.Stalled = false, w.Waiting, true
		v.out.Note = fmt.Sprintf("the crawl has not fetched %s for %s", words.Count(waits, "page"),
			words.Count(int(v.Patience.Hours()), "hour"))
	default:
		if w.Idle++; w.Idle == 1 {
			w.IdleFrom = now
		}
		v.out.Wait, v.out.Early = min(time.Duration(1+w.Idle/10)*time.Second, maxIdle), true
		v.out.Note = fmt.Sprintf("waits until the crawl has fetched %s", words.Count(waits, "page"))
	}
}

// isRead reports whether all registered pages were read, and all pages of earlier polls compared.
func (v *walking) isRead() bool { return v.walk.Open == 0 && v.walk.Compared >= v.walk.Compare }
