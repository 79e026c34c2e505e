// Package lookup finds items by what people know of them: an id, an address, or what many items have in common. It
// lists items in any order, a page at a time.
//
// A host in a filter is the host of an address, however it is written, or the name that the registry gives to a
// container of files.
package lookup

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Lookup finds items.
type Lookup struct {
	items *registry.Items
	rules source.Rules
}

// New makes a Lookup over the items of a registry, whose addresses are read by some rules.
func New(items *registry.Items, rules source.Rules) *Lookup {
	return &Lookup{items, rules}
}

// IDs are the ids that the item of an address may have: an address may be that of a page and that of a file.
func (l *Lookup) IDs(address string) (ids []source.ID, err error) {
	sources, err := file.Sources(address, l.rules)
	for _, src := range sources {
		ids = append(ids, src.ID())
	}
	return ids, err
}

// At finds the item of an address, the page before the file. NotFound if there is none; Invalid, with the field
// "source", if the text is not an address.
func (l *Lookup) At(ctx context.Context, address string) (it registry.Item, err error) {
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

// Searched finds the page at an address as the index has it: for a duplicate, the page that represents it. found is
// false if the address is unknown.
func (l *Lookup) Searched(ctx context.Context, address string) (it registry.Item, found bool, err error) {
	src, err := l.rules.ParseURL(address)
	if err != nil {
		return it, false, nil // no page was registered for it either
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
