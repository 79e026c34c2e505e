package notify

import (
	"cmp"
	"context"
	"errors"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
	"github.com/tidemark/tidemark/pkg/feed"
)

// effort is the work that regular expressions may still do: bytes of text, times the size of the expression.
type effort int

const (
	maxEffort    effort = 1e9 // for one change, and for one step of the follower, all rules together
	testedEffort        = maxEffort / 2
)

// errSpent ends work that has used up its effort.
var errSpent = fault.New(fault.TooLarge, "the regular expressions take too long")

// spend uses up some effort. Errors: errSpent, and that of a context that is done.
func (e *effort) spend(ctx context.Context, n int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if *e -= effort(n); *e < 0 {
		return errSpent
	}
	return nil
}

// sought is a regular expression that must match an added or a removed passage of a change.
type sought struct {
	op feed.Op
	re *pattern.Pattern
}

// seek adds an expression to a rule. It ignores an empty text.
func (r *rule) seek(op feed.Op, text string) error {
	if text == "" {
		return nil
	}
	if len(text) > maxPattern {
		return fault.New(fault.Invalid, "%d bytes; at most %d are allowed", len(text), maxPattern)
	}
	re, err := pattern.Compile(text, maxProgram)
	switch {
	case fault.Is(err, fault.TooLarge):
		return fault.New(fault.Invalid, "%w", err)
	case err != nil:
		return fault.New(fault.Invalid, "%w; write a regular expression of RE2", err)
	}
	r.sought = append(r.sought, sought{op, re})
	return nil
}

// in reports whether an expression matches a change.
func (s sought) in(ctx context.Context, c feed.Change, left *effort) (bool, error) {
	for _, p := range c.Differing() {
		if p.Op != s.op {
			continue
		}
		if err := left.spend(ctx, len(p.Text)*s.re.Size); err != nil {
			return false, err
		}
		if s.re.Regexp.MatchString(p.Text) {
			return true, nil
		}
	}
	return false, nil
}

// wants reports whether a rule matches a change. A broken rule matches nothing, and so does one that is switched off.
// That a watch is broken matches whatever the rule says of kinds and text, because then the rule would miss all that it
// waits for; so does that it was restored, if the rule is from before the break. Errors: errSpent when the effort is
// used up, and that of a context that is done.
func (r *rule) wants(ctx context.Context, c feed.Change, left *effort) (bool, error) {
	if r.Problem != "" || r.Off || r.elsewhere(c) {
		return false, nil
	}
	restored := c.Kind == feed.WatchRestored && !r.Created.After(cmp.Or(c.Broke, r.Created))
	if (c.Kind == feed.WatchBroken || restored) && r.filter.Concerns(c) {
		return true, nil
	}
	if !r.isFor(c) || !r.selects(c).Wants(c) {
		return false, nil
	}
	for _, s := range r.sought {
		if found, err := s.in(ctx, c, left); !found || err != nil {
			return false, err
		}
	}
	return true, nil
}

// meets is like wants, but a rule whose expressions would take too long matches: a change too many is better than
// one too few.
func (r *rule) meets(ctx context.Context, c feed.Change, left *effort) (bool, error) {
	met, err := r.wants(ctx, c, left)
	if errors.Is(err, errSpent) {
		return true, nil
	}
	return met, err
}
