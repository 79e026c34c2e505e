package politeness

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/registry"
)

// otherwise requests the other forms of an address that failed, each once, and returns the first answer that has the
// page. If none has it, it returns the answer that it was given. The only errors are failures of this program, which
// the session remembers.
func (a *Asker) otherwise(
	ctx context.Context, it *registry.Item, req fetch.Request, first verdict.Answer,
) (verdict.Answer, error) {
	for _, form := range verdict.OtherForms(it, first.Response) {
		o, err := OriginOf(form)
		if err != nil {
			return first, nil // Unreachable: the forms of an address are addresses.
		}
		r, err := a.ruling(ctx, o)
		if err != nil || r.unknown() || !r.allows(a.hosts.agent, form) {
			continue // the first answer stands
		}
		if a.lease.Wait(ctx) != nil {
			return first, nil // the host can take no more requests now
		}
		req.URL = form
		resp, err := a.ask(ctx, req)
		switch {
		case a.session.ours != nil:
			return first, a.session.ours
		case err == nil && (resp.OK() || resp.NotModified):
			first.Response, first.Other = resp, form
			return first, nil
		}
	}
	return first, nil
}
