package notify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/policy/digest"
)

// feedEnd is the zero position, for which [feed.Feed.Newest] begins with the newest change.
var feedEnd feed.Position

// TestRule returns the recent changes that a rule would have reported. A broken rule is refused (Invalid).
func (s *Book) TestRule(ctx context.Context, id string) (api.RuleTest, error) {
	r, _, err := s.rule(ctx, id)
	if err != nil {
		return api.RuleTest{}, err
	}
	if r.Problem != "" {
		return api.RuleTest{}, fault.New(fault.Invalid, "the rule is broken: %s", r.Problem)
	}
	r.Off = false
	return tested(ctx, s.feed, s.now(), &r)
}

// PreviewRule returns the recent changes that an unsaved rule would have reported. The rule needs no name and no
// channel.
func (s *Book) PreviewRule(ctx context.Context, spec api.RuleSpec) (api.RuleTest, error) {
	spec.Name, spec.Channels, spec.Off = "preview", []string{"preview"}, false
	r, errs := compile(spec)
	if len(errs) > 0 {
		return api.RuleTest{}, errs[0]
	}
	return tested(ctx, s.feed, s.now(), &r)
}

const (
	testedChanges = 5000
	testedTime    = 30 * 24 * time.Hour
)

// tested applies a rule to the recent changes. It stops early if the rule's expressions take too long.
func tested(ctx context.Context, all *feed.Feed, now time.Time, r *rule) (out api.RuleTest, err error) {
	out.Changes = []api.FeedChange{}
	out.Warning = r.Warning
	kinds := map[string]int{}
	left := testedEffort
	var events []digest.Event
	for c, err := range all.Newest(ctx, feedEnd) {
		if err != nil {
			return out, err
		}
		if c.At.Before(now.Add(-testedTime)) {
			break
		}
		if out.Cut = out.Looked == testedChanges; out.Cut {
			break
		}
		if c, err = withDifference(ctx, all, c, *r); err != nil {
			return out, err
		}
		met, err := r.wants(ctx, c, &left)
		if out.Partial = errors.Is(err, errSpent); out.Partial {
			break
		}
		if err != nil {
			return out, err
		}
		out.Looked++
		if !met {
			continue
		}
		kinds[string(c.Kind)]++
		events = append(events, digest.Event{At: c.At, Key: c.AlikeKey()})
		if out.Matched++; len(out.Changes) < inDigest {
			out.Changes = append(out.Changes, c.JSON())
		}
	}
	slices.Reverse(events)
	out.Messages = r.plan.Messages(events)
	switch {
	case out.Matched == 0:
	case r.plan.Rhythm == "" || r.plan.Rhythm == digest.AtOnce:
		out.Message = letter.Subject(out.Changes[0])
	default:
		out.Message = counted(kinds)
	}
	return out, nil
}
