package entries

import (
	"cmp"
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// linkMethod is the discoveryMethod of pages that entries link to.
const linkMethod = "ENTRY"

// registerPage registers the page that a link leads to, so that the page is crawled (D10). This must happen before
// the entry is stored. If there is a crash in between, the page has no entry, and sending the entry again repairs
// that. A known page costs two reads and keeps its schedule. Links in entries of the schema for tests are not
// registered, nor are links to a host that has reached its limit of items.
func (s *Session) registerPage(ctx context.Context, f entry.Fields) error {
	raw := f.Text("url_canonical")
	raw = cmp.Or(raw, f.Text("url"))
	links := s.s.o.Links
	if links == nil || raw == "" || s.Schema != Production || f.Text("idempotency_policy_key") != entry.TelegramLink {
		return nil
	}
	page, err := s.s.o.Rules.ParseURL(raw)
	if err != nil {
		return fault.Field("url", "%w", err)
	}
	_, err = links.Find(ctx, page.ID())
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	o := registry.RegisterOptions{Method: linkMethod, Forms: source.Forms{}}
	o.Forms.Note(page, raw, s.s.o.Rules)
	err = links.Register(ctx, []source.Source{page}, o)[0].Err
	if registry.IsItemLimit(err) {
		return nil // the entry is stored although its page is not registered
	}
	return err
}
