package crawl

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// outcome is what a check found out. The zero outcome is none yet: the check goes on.
type outcome struct {
	kind       schedule.Outcome
	why        string        // for people
	retryAfter time.Duration // the pause that the source asked for
	note       string        // for the history, where that says more than why
	news       news          // what has changed
	store      bool          // the body is to be stored
	refresh    bool          // the index is to hold what was read now
}

// news is what of a page has changed, as package change decides; the zero news is nothing.
type news struct {
	kind   change.Kind
	why    string
	extent change.Extent
	// part says that the part that is watched has changed, and silenced by which rule nobody is told; empty for none.
	part     bool
	silenced string
}

// looksMissing is the outcome of a page that shows what its host shows for pages that do not exist (a soft
// 404). It counts as one that is missing.
const looksMissing schedule.Outcome = "looks_missing"

// stands reports whether the item has content that the source stands by, new or known. While a collapse waits,
// that is the known one.
func (o outcome) stands() bool {
	return slices.Contains([]schedule.Outcome{
		schedule.Unchanged, schedule.Changed, schedule.Reverted, schedule.Collapsed,
	}, o.kind)
}

func (o outcome) decided() bool { return o.kind != "" }

// failed is the outcome of a check that came to nothing.
func failed(format string, args ...any) outcome {
	return outcome{kind: schedule.Failed, why: fmt.Sprintf(format, args...)}
}

func unchanged(why string) outcome { return outcome{kind: schedule.Unchanged, why: why} }

func missing(how string) outcome { return outcome{kind: schedule.Missing, why: how} }

func excluded(why string) outcome { return outcome{kind: schedule.OutOfScope, why: why} }
