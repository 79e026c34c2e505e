package notify

import (
	"context"
	"errors"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// inDigest is the number of changes that a digest lists.
const inDigest = 20

// partsOf returns the lines of a message as its parts, with links to them.
func partsOf(lines api.ChangeLines, to func(api.FeedChange) letter.Links) (out []letter.Part) {
	for _, line := range lines.All {
		p := letter.Part{Change: line.Changes[0], Count: line.Count, Links: to(line.Changes[0])}
		if p.Count > 1 {
			p.Pages, p.Links.Mute = line.Changes, "" // a mute is of one page
		}
		out = append(out, p)
	}
	return out
}

// maxAlike is the number of bytes of the addresses of equal changes in a digest.
const maxAlike = 64 << 10

// alikeJSON returns the lines of several equal changes in the API's form.
func alikeJSON(l api.ChangeLines) (out []api.AlikeChanges) {
	left := maxAlike
	for _, line := range l.All {
		if line.Count == 1 {
			continue
		}
		first := line.Changes[0]
		a := api.AlikeChanges{Host: first.Host, Kind: first.Kind, Count: line.Count, Passages: first.Passages,
			URLs: []string{}}
		for _, c := range line.Changes {
			if left -= len(c.URL); left < 0 {
				break
			}
			a.URLs = append(a.URLs, c.URL)
		}
		out = append(out, a)
	}
	return out
}

// listed reads the changes that a digest lists, and its lines, in which equal changes are gathered. Changes that were
// purged are left out, and so are those of pages that are muted now. Of the latter, it counts by kind those that the
// rule has counted.
func (s *Follower) listed(ctx context.Context, r *rule, g gathered, muted muteSet) (out []api.FeedChange,
	lines api.ChangeLines, kinds map[string]int, err error) {
	out, kinds = []api.FeedChange{}, map[string]int{}
	to, _ := feed.ParsePosition(g.Final)
	looked, left := 0, maxEffort
	all := func(yield func(feed.Change, error) bool) { s.gatheredChanges(ctx, g, yield) }
	for c, err := range all {
		if fault.Is(err, fault.Expired) {
			return out, lines, kinds, nil
		}
		if err != nil {
			return nil, lines, nil, err
		}
		if looked++; c.Position.After(to) || len(lines.All) == inDigest && !lines.MayGrow() || looked > maxExamined {
			break
		}
		if c, err = withDifference(ctx, s.feed, c, *r); err != nil {
			return nil, lines, nil, err
		}
		met, err := r.wants(ctx, c, &left)
		if errors.Is(err, errSpent) {
			break // the counts of the digest cover all changes
		}
		if err != nil {
			return nil, lines, nil, err
		}
		switch {
		case !met || !c.Position.After(r.since) || hidden(muted, r, c):
		case muted.cover(c.ItemID, r.ID, s.now()):
			kinds[string(c.Kind)]++
		default:
			shown := r.shown(c)
			if lines.Add(shown, inDigest); len(out) < inDigest {
				out = append(out, shown)
			}
		}
	}
	return out, lines, kinds, nil
}
