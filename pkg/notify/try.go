package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// feedEnd is the zero position, for which [feed.Feed.Newest] begins with the newest change.
var feedEnd feed.Position

// TestRule returns the recent changes that a rule would have reported. A broken rule is refused (Invalid).
func (s *Book) TestRule(ctx context.Context, id string) (api.RuleTest, error) {
	r, err := s.rule(ctx, id)
	if err != nil {
		return api.RuleTest{}, err
	}
	if r.Problem != "" {
		return api.RuleTest{}, fault.New(fault.Invalid, "the rule is broken: %s", r.Problem)
	}
	r.Off = false
	return s.try(ctx, &r, r.Channels)
}

// try applies a rule to the recent changes, and shows a message as some channels get it.
func (s *Book) try(ctx context.Context, r *rule, channels []string) (out api.RuleTest, err error) {
	found, err := surveyed(ctx, s, r)
	if err != nil {
		return out, err
	}
	if out, err = tested(ctx, s.feed, s.now(), r); err != nil {
		return out, err
	}
	out.Firing = found.Firing
	out.Cost, out.ProposedEvery = r.Cost, s.proposedEvery(ctx, r.RuleSpec)
	some := out.Changes
	if len(some) == 0 && !found.nowhere {
		if c, ok := r.sample(ctx, &found, s.now()); ok {
			some = append(some, c)
		}
	}
	if len(some) > 0 {
		out.Preview, err = preview(ctx, s, r, some[0], channels[:min(len(channels), MaxChannels)])
	}
	return out, err
}

// PreviewRule returns the recent changes that an unsaved rule would have reported. The rule needs no name and no
// channel.
func (s *Book) PreviewRule(ctx context.Context, spec api.RuleSpec) (api.RuleTest, error) {
	spec, err := canonical(spec)
	if err != nil {
		return api.RuleTest{}, err
	}
	channels := spec.Channels
	spec.Name, spec.Channels, spec.Off = cmp.Or(spec.Name, "preview"), []string{"preview"}, false
	r, errs := compile(spec)
	if len(errs) > 0 {
		return api.RuleTest{}, errs[0]
	}
	r.Channels = channels
	return s.try(ctx, &r, channels)
}

// preview shows the message about a change as each channel gets it. None of its links is signed: those who may read
// rules could mute with it.
func preview(ctx context.Context, s *Book, r *rule, c api.FeedChange, channels []string) (*api.MessagePreview, error) {
	if !r.atOnce() {
		return nil, nil
	}
	to, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.MessagePreview{Sample: c.ID == sampleID, Messages: []api.ShownMessage{}}
	p := letter.Part{Change: c, Count: 1}
	if !out.Sample {
		out.ChangeID = c.ID
	}
	to.key = nil
	if p.Links = to.of(r, p.Change); p.Change.ItemID != "" {
		p.Links.Mute = to.to(shortPath+"…", nil)
	}
	m := r.message([]letter.Part{p}, to)
	for _, name := range channels {
		c, _, err := s.channel(ctx, name)
		if fault.Is(err, fault.NotFound) {
			continue // a form may name a channel that is gone
		}
		if err != nil {
			return nil, err
		}
		known, _ := s.resolver.channelJSON(c)
		service := cmp.Or(known.Service, c.Kind)
		if service == Webhook && !r.isWorded() {
			continue // it gets the change, and no words
		}
		shown := send.Preview(service, m)
		out.Messages = append(out.Messages, api.ShownMessage{Channel: name, Service: service, Title: shown.Title,
			Text: shown.Text, Cut: shown.Cut})
	}
	if len(channels) == 0 {
		shown := send.Preview("", m)
		out.Messages = append(out.Messages, api.ShownMessage{Text: shown.Text, Cut: shown.Cut})
	}
	return out, nil
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
	var events []digestEvent
	var before *feed.Change
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
		if before == nil || !sameCheck(*before, c) { // one check is one message
			events = append(events, digestEvent{At: c.At, Key: c.AlikeKey()})
		}
		before = &c
		if out.Matched++; len(out.Changes) < inDigest {
			out.Changes = append(out.Changes, r.shown(c))
		}
	}
	slices.Reverse(events)
	out.Messages = r.plan.Messages(events)
	switch {
	case out.Matched == 0:
	case r.atOnce():
		out.Message = letter.Subject(out.Changes[0])
	default:
		out.Message = counted(kinds)
	}
	return out, nil
}
