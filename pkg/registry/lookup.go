package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// This file finds items by an id, by an address, or by a property that many items share. It lists items a page
// at a time, sorted if required.
//
// A filter can have the host of an address, in any spelling. For files it has the name that the registry uses for
// their container.

// Lookup finds items.
type Lookup struct {
	items *Items
	rules source.Rules
}

// NewLookup makes a Lookup over the items of a registry. It uses rules to normalize addresses.
func NewLookup(items *Items, rules source.Rules) *Lookup {
	return &Lookup{items, rules}
}

// IDs returns the ids that the item of an address may have. There may be several, because an address may be that of a
// page or that of a file.
func (l *Lookup) IDs(address string) (ids []source.ID, err error) {
	sources, err := file.Sources(address, l.rules)
	for _, src := range sources {
		ids = append(ids, src.ID())
	}
	return ids, err
}

// At finds the item of an address. If both a page and a file have that address, it returns the page. Errors:
// NotFound; Invalid, with the field "source", if the text is not an address.
func (l *Lookup) At(ctx context.Context, address string) (it Item, err error) {
	ids, err := l.IDs(address)
	if fault.Is(err, fault.Invalid) {
		return it, fault.Field("source", "%w", err)
	}
	for _, id := range ids {
		if it, err = l.items.Find(ctx, id); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return it, err
}

// Searched finds the page that is in the index for an address, and reports whether there is one. For a duplicate,
// this is the page that represents the duplicate.
func (l *Lookup) Searched(ctx context.Context, address string) (it Item, found bool, err error) {
	src, err := l.rules.ParseURL(address)
	if err != nil {
		return it, false, nil // no page was registered for the address
	}
	it, err = l.items.Find(ctx, src.ID())
	if err == nil && it.AliasOf != "" {
		it, err = l.items.Find(ctx, it.AliasOf)
	}
	if fault.Is(err, fault.NotFound) {
		return it, false, nil
	}
	return it, err == nil, err
}
