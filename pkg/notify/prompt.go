package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// The process that has written changes to the feed follows it at once, if a rule wants one of them now. So messages
// leave within seconds, and changes that no rule wants cost no step. If the process dies before the step, or the step
// fails, the timer makes it.

const (
	promptTime  = 5 * time.Second // longest time of a step that is made at once
	promptTries = 5               // steps, if other processes are quicker each time
)

// Soon follows the feed if a rule wants to report one of these changes now. The changes have just been written to the
// feed. Soon returns no error, because the timer makes up for what fails.
func (s *Follower) Soon(ctx context.Context, changes []feed.Change) {
	ctx, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	wanted, err := s.wanted(ctx, changes)
	if wanted {
		err = s.followNow(ctx)
	}
	if err != nil {
		s.o.Log.WarnContext(ctx, "changes are reported later", "kind", fault.KindOf(err), "err", err)
	}
}

// wanted reports whether a rule wants to report one of the changes now. Rules with a digest do not, and neither do
// those that gather changes at present. A rule may be missed for half a minute after another process has saved it.
func (s *Follower) wanted(ctx context.Context, changes []feed.Change) (bool, error) {
	all, pages, err := s.book.Asking.all(ctx)
	if err != nil {
		return false, err
	}
	waits := func(r rule) bool { return !r.atOnce() || s.gathers(r.ID) }
	all = slices.DeleteFunc(slices.Clone(all), waits)
	left := maxEffort
	for _, c := range changes {
		rules := all
		if pages && c.ItemID != "" {
			own, err := s.book.under(ctx, c.ItemID)
			if err != nil {
				return false, err
			}
			rules = append(slices.DeleteFunc(own, waits), all...)
		}
		if c, err = withDifference(ctx, s.feed, c, rules...); err != nil {
			return false, err
		}
		for i := range rules {
			if met, err := rules[i].meets(ctx, c, &left); met || err != nil {
				return met, err
			}
		}
	}
	return false, nil
}

// followNow makes steps until the rules have seen all changes. Callers who wait for a step of another share the next
// one.
func (s *Follower) followNow(ctx context.Context) error {
	p := &s.prompt
	mine := p.asked.Add(1)
	select {
	case p.stepping <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.stepping }()
	if p.served >= mine {
		return nil
	}
	serves := p.asked.Load()
	var report Report
	for range promptTries {
		err := cmp.Or(s.steps(ctx, &report), ctx.Err())
		if err == nil {
			p.served = serves
		}
		if !fault.Lost(err) {
			return err
		}
	}
	return errors.New("other processes were quicker each time")
}

// gathers reports whether a rule is known to gather all changes at present.
func (s *Follower) gathers(rule string) bool {
	until, known := s.prompt.gathering.Get(rule)
	return known && s.now().Before(until)
}
