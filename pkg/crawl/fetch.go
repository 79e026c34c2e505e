package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// fetchPage fetches a page if robots.txt allows the request (A11).
func (c *check) fetchPage(ctx context.Context) (got verdict.Answer, o verdict.Outcome, err error) {
	// robots.txt must be checked first: a page that it forbids must not be requested at all.
	o, err = c.site.Allows(ctx, &c.item)
	if err != nil || o.Kind == schedule.Failed {
		return got, o, err
	}
	if c.item.HTTPRobotsAllowed = !o.Decided(); o.Decided() {
		return got, o, nil
	}
	// The stored capture must be read under the present rules before the answer is compared with the stored content.
	if err = c.reread(ctx); err != nil {
		return got, o, err
	}
	known := false
	if got, known = c.held.answer(&c.item, c.now()); !known {
		got, o, err = c.site.Get(ctx, &c.item, c.basis, c.o.Setting)
	}
	if err != nil || o.Decided() {
		c.item.HTTPRobotsAllowed = o.Kind != schedule.OutOfScope
		return got, o, err
	}
	// Status and redirects are recorded even if the body turns out to be unchanged.
	c.item = verdict.NoteResponse(c.item, got, c.basis.Rules.Sources)
	got.Raw = snapshot.Hash(got.Response.Body)
	return got, o, nil
}
