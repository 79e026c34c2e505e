package entries

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// linkMethod is the discoveryMethod of pages that entries named.
const linkMethod = "ENTRY"

// registerPage has the page that a link is about crawled (D10). That is done before the entry is
// stored: a crash in between leaves a page that is searched without its entry, and sending the entry
// again mends it. A page that is known costs two reads and is left to its schedule. Entries for tests
// have no pages, nor have those that lead to a host with as many items as it may have.
func (s *Session) registerPage(ctx context.Context, f entry.Fields) error {
	raw := f.Text("url_canonical")
	if raw == "" {
		raw = f.Text("url")
	}
	links := s.s.o.Links
	if links == nil || raw == "" || s.Schema != Production || f.Text("idempotency_policy_key") != entry.TelegramLink {
		return nil
	}
	page, err := s.s.o.Rules.ParseURL(raw)
	if err != nil {
		return fault.Field("url", "%w", err)
	}
	_, err = links.Items.Find(ctx, page.ID())
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	err = links.Items.Register(ctx, []source.Source{page}, registry.RegisterOptions{Method: linkMethod})[0].Err
	if registry.IsItemLimit(err) {
		return nil // the entry is kept all the same
	}
	return err
}
