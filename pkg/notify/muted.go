package notify

import (
	"context"

	"github.com/tidemark/tidemark/pkg/feed"
)

// mutes reads the mutes once per step, when a rule first matches.
func (p *pass) mutes(ctx context.Context) (muteSet, error) {
	if p.muted == nil {
		all, err := p.s.book.Mutes.all(ctx)
		if err != nil {
			return nil, err
		}
		p.muted = append(muteSet{}, all...)
	}
	return p.muted, nil
}

// linking reads what makes links once per step, when a message is first written.
func (p *pass) linking(ctx context.Context) (links, error) {
	if p.links == nil {
		to, err := p.s.links(ctx)
		if err != nil {
			return links{}, err
		}
		p.links = &to
	}
	return *p.links, nil
}

// hidden reports whether a mute covered a change at its time, so that a rule did not count it.
func hidden(muted muteSet, r *rule, c feed.Change) bool { return muted.cover(c.ItemID, r.ID, c.At) }

// without takes the changes that a rule has counted, and that are muted by now, from the counts of a digest.
func (g gathered) without(kinds map[string]int) gathered {
	left := map[string]int{}
	for kind, n := range g.Kinds {
		if n -= kinds[kind]; n > 0 {
			left[kind] = n
		}
	}
	for _, n := range kinds {
		g.Gathered -= n
	}
	g.Kinds = left
	return g
}
