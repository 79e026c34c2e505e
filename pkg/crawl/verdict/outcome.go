package verdict

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Outcome is what a check found out. The zero outcome is none yet: the check goes on.
type Outcome struct {
	Kind       schedule.Outcome
	Why        string        // for people
	RetryAfter time.Duration // the pause that the source asked for
	Note       string        // for the history, where that says more than why
	News       News          // what has changed
	Store      bool          // the body is to be stored
	Refresh    bool          // the index is to hold what was read now
}

// News is what has changed on a page, as package change decides; the zero News is no change.
type News struct {
	Kind     change.Kind
	Why      string // for people
	Extent   change.Extent
	Part     bool   // it is the watched part that has changed
	Silenced string // the rule that keeps the change from readers; empty if none does
}

// LooksMissing is the kind of outcome of a soft 404: the page shows what its host shows for pages that do not exist.
// It counts as a missing page.
const LooksMissing schedule.Outcome = "looks_missing"

// Stands reports whether the item has content that its source still shows. While a collapse waits, that is the known
// content.
func (o Outcome) Stands() bool {
	return slices.Contains([]schedule.Outcome{
		schedule.Unchanged, schedule.Changed, schedule.Reverted, schedule.Collapsed,
	}, o.Kind)
}

// Decided reports whether the outcome is known, which ends the search for it.
func (o Outcome) Decided() bool { return o.Kind != "" }

// Failed is the outcome of a check that came to nothing.
func Failed(format string, args ...any) Outcome {
	return Outcome{Kind: schedule.Failed, Why: fmt.Sprintf(format, args...)}
}

// Unchanged is the outcome of a check that found nothing new.
func Unchanged(why string) Outcome { return Outcome{Kind: schedule.Unchanged, Why: why} }

// Missing is the outcome of a check whose source says that the page does not exist; how it says so is for people.
func Missing(how string) Outcome { return Outcome{Kind: schedule.Missing, Why: how} }

// Excluded is the outcome of a check of a page that may not be fetched.
func Excluded(why string) Outcome { return Outcome{Kind: schedule.OutOfScope, Why: why} }
