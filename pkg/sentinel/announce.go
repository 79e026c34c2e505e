package sentinel

import (
	"context"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
)

// announce tells the registry which pages have changed as their site says. Whether it is believed is
// the registry's to decide: see [registry.Registry.Announce]. Each look has others first, for of a site
// that is not believed only a sample is held against it.
func (d *dealing) announce(ctx context.Context, moved []registry.Claim) error {
	look := d.st.Now
	look.Moved += len(moved)
	today := d.st.Day.on(d.now())
	order := func(c registry.Claim) uint64 { return xxhash.Sum64String(look.ID + c.Normalized) }
	slices.SortFunc(moved, func(a, b registry.Claim) int {
		if order(a) < order(b) {
			return -1
		}
		return 1
	})
	moved = moved[:max(0, min(len(moved), d.o.PerDay-today.Hastened))]
	if len(moved) == 0 {
		return nil
	}
	noted, hastened, err := d.reg.Announce(ctx, moved)
	look.Noted += noted
	look.Hastened += hastened
	today.Hastened += hastened
	d.st.Day = today
	return err
}

// home is a source of the site's host, by which the registry finds what it knows of the host.
func (s *Service) home(found *site.Site) source.Source {
	src, _ := s.o.Rules.ParseURL("https://" + found.Domain + "/") // the site file has checked it
	return src
}
