package verdict

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Outcome is the result of a check. The zero outcome is undecided: the check continues.
type Outcome struct {
	Kind       schedule.Outcome
	Why        string        // the reason, as a text for people
	Of         string        // of a failed check: the kind of the failure, as the metrics count it
	RetryAfter time.Duration // the pause that the source asked for
	Note       string        // a text for the history, used when it says more than Why
	News       News          // what has changed
	Store      bool          // the body must be stored
	Refresh    bool          // the index must get the content that was just read
	Known      bool          // the body that came has the known content
}

// News is the change of a page, as package change classifies it. The zero News means no change.
type News struct {
	Kind     change.Kind
	Why      string // the reason, as a text for people
	Extent   change.Extent
	Part     bool           // the watched part has changed
	Fields   []field.Change // the values that have changed
	Bare     bool           // nothing but these values is told
	Silenced string         // the rule that hides the change from readers; "" if none hides it
	Small    *feed.Small    // why nothing of it is told by default; nil if something is
	Again    bool           // a second check soon would show how often something moves
}

// LooksMissing is the outcome of a soft 404: the page looks like its host's answer for pages that do not exist. It is
// treated like a missing page.
const LooksMissing schedule.Outcome = "looks_missing"

// Untried is the outcome of a check that is put off: the item stays as it is, and is checked later.
const Untried schedule.Outcome = "untried"

// Unreached is the outcome of a check that sent no request to the page, because its host cannot be reached: the item
// stays as it is, and due.
const Unreached schedule.Outcome = "unreached"

// Paused is the outcome of a check whose site asks for a pause: it is no failed attempt.
const Paused schedule.Outcome = "paused"

// PutOff returns the outcome for an item that is not tried before its NotBefore.
func PutOff(it *registry.Item) Outcome {
	return Outcome{Kind: Untried, Why: fmt.Sprintf("put off: the program ended %s while it worked on this page",
		words.Count(it.Deaths, "time"))}
}

// GoesOn returns the outcome of a check that has done a part of its work. The next check goes on at once.
func GoesOn(format string, args ...any) Outcome {
	return Outcome{Kind: Untried, Why: fmt.Sprintf(format, args...)}
}

// Stands reports whether the item has content that its source still shows. While a collapse is not yet believed, that
// is the known content.
func (o Outcome) Stands() bool {
	return slices.Contains([]schedule.Outcome{
		schedule.Unchanged, schedule.Changed, schedule.Reverted, schedule.Collapsed,
	}, o.Kind)
}

// Decided reports whether the outcome is decided. A decided outcome ends the search for it.
func (o Outcome) Decided() bool { return o.Kind != "" }

// Failed returns the outcome of a check that failed.
func Failed(format string, args ...any) Outcome {
	return Outcome{Kind: schedule.Failed, Why: fmt.Sprintf(format, args...), Of: "page"}
}

// FailedBy returns the outcome of a check that an error ended, with the pause that the error asks for.
func FailedBy(err error) Outcome {
	o := Failed("%v", err)
	o.Of = string(fault.KindOf(err))
	o.RetryAfter = fault.RetryAfter(err)
	return o
}

// awayLong is how long a page may redirect to a host that cannot be reached before it fails.
const awayLong = time.Hour

// Away returns the outcome of a check of a page that redirects to a host that cannot be reached: for an hour the page
// waits without a failed attempt, like the pages of that host. Of says what of the host cannot be reached.
func Away(it *registry.Item, err error, of string, now time.Time) Outcome {
	o := FailedBy(err)
	if o.Of = of; it.PausedSince.IsZero() {
		it.PausedSince = now
	}
	if it.CrawlAttempts == 0 && now.Sub(it.PausedSince) < awayLong {
		o.Kind, o.RetryAfter = Paused, max(o.RetryAfter, robots.RetryPause(1))
	}
	return o
}

// Unchanged returns the outcome of a check that found nothing new.
func Unchanged(why string) Outcome { return Outcome{Kind: schedule.Unchanged, Why: why} }

// Missing returns the outcome of a check whose source answered that the page does not exist. The given text describes
// that answer to people.
func Missing(how string) Outcome { return Outcome{Kind: schedule.Missing, Why: how} }

// Excluded returns the outcome of a check of a page that may not be fetched.
func Excluded(why string) Outcome { return Outcome{Kind: schedule.OutOfScope, Why: why} }

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
