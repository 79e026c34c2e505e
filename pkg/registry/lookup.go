package registry

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

const (
	// maxSorted limits the number of items in a sorted list. maxRead limits the number of items that are read for one
	// page, and readTime the time after which no further step begins for it.
	maxSorted = 5000
	maxRead   = 20_000
	readTime  = 300 * time.Millisecond
	// walkPiece limits the number of items that one step reads. A step reads a few more items than the page still
	// needs; spare is the number of these extra items.
	walkPiece = 1000
	spare     = 100
)

// LookupQuery selects the items to list.
type LookupQuery struct {
	Filter Filter
	Sort   string // a name in the variable orders, preceded by a hyphen for descending order; if empty, unsorted
	After  string // the field Next of the previous page; if empty, the first page is listed
	Top    int    // list at most this many items
	// Removing includes items that wait for their removal.
	Removing bool
}

// FoundPage is a part of a list.
type FoundPage struct {
	Items []Item
	Next  string // the value of After for the next page; empty at the end of the list
}

// Page lists items. Without those that wait for their removal a page may have few items or none although it has a Next.
func (l *Lookup) Page(ctx context.Context, q LookupQuery) (FoundPage, error) {
	page, err := l.page(ctx, q)
	if !q.Removing {
		page.Items = slices.DeleteFunc(page.Items, func(it Item) bool { return !it.RemoveAfter.IsZero() })
	}
	return page, err
}

// These returns the items with some ids, in their order. Unknown ids are left out.
func (l *Lookup) These(ctx context.Context, ids []string) (out []Item, err error) {
	found := make([]Item, len(ids))
	err = l.items.s.Parallel(ctx, len(ids), func(ctx context.Context, i int) (err error) {
		found[i], err = l.items.Find(ctx, source.ID(ids[i]))
		return fault.Except(err, fault.NotFound, fault.Invalid)
	})
	return slices.DeleteFunc(found, func(it Item) bool { return !it.exists() }), err
}

func (l *Lookup) page(ctx context.Context, q LookupQuery) (FoundPage, error) {
	switch {
	case q.Sort != "":
		return l.sorted(ctx, q)
	case q.Filter.Tag != "" || q.Filter.Paused || q.Filter.Positional || q.Filter.Find != "":
		return l.picked(ctx, q)
	}
	return l.listed(ctx, q)
}

// listed returns a page of a list that the registry can read directly, without examining other items.
func (l *Lookup) listed(ctx context.Context, q LookupQuery) (page FoundPage, err error) {
	page.Items, err = l.items.List(ctx, ListQuery{
		Host: q.Filter.Host, Status: q.Filter.Status, After: q.After,
		Top: q.Top + 1, // one more than needed, to see whether there is another page
	})
	if len(page.Items) > q.Top {
		page.Items = page.Items[:q.Top]
		page.Next = ListCursor(&page.Items[q.Top-1])
	}
	return page, err
}

// picked returns a page of items that match a filter. The registry has no list of them and must examine other items,
// too.
func (l *Lookup) picked(ctx context.Context, q LookupQuery) (page FoundPage, err error) {
	at, err := cursorOf(q.After)
	if err != nil {
		return page, err
	}
	began := time.Now()
	for read := 0; len(page.Items) < q.Top && read < maxRead && (read == 0 || time.Since(began) < readTime); {
		p, err := l.items.Pick(ctx, q.Filter, at, min(walkPiece, q.Top-len(page.Items)+spare))
		if err != nil {
			return page, err
		}
		if room := q.Top - len(page.Items); len(p.Items) > room {
			// The remaining items are read again for the next page, because that page begins after the last item of
			// this one.
			last := p.Items[room-1]
			page.Items, page.Next = append(page.Items, p.Items[:room]...), cursorText(behind(&last))
			break
		}
		page.Items, at, read = append(page.Items, p.Items...), p.Next, read+max(p.Looked, 1)
		if page.Next = ""; p.Done {
			break
		}
		page.Next = cursorText(at)
	}
	return page, nil
}

func cursorText(c Cursor) string {
	b, _ := json.Marshal(c) // two strings always encode
	return base64.RawURLEncoding.EncodeToString(b)
}

func cursorOf(text string) (c Cursor, err error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && text != "" {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, notOfThisList(text)
	}
	return c, nil
}

func notOfThisList(after string) error {
	return fault.Field("continuation", "continuation is none of this list: %.60q", after)
}

// orders contains the orders by which items can be sorted, by name.
var orders = map[string]func(a, b *Item) int{
	"source":      func(a, b *Item) int { return strings.Compare(a.NormalizedSource, b.NormalizedSource) },
	"status":      func(a, b *Item) int { return cmp.Compare(statusRank(a), statusRank(b)) },
	"lastChecked": func(a, b *Item) int { return a.LastChecked.Compare(b.LastChecked) },
	"lastChanged": func(a, b *Item) int { return a.LastChanged.Compare(b.LastChanged) },
	"nextCrawlAt": func(a, b *Item) int { return a.NextCrawlAt.Compare(b.NextCrawlAt) },
	"firstSeen":   func(a, b *Item) int { return a.FirstSeen.Compare(b.FirstSeen) },
}

func statusRank(it *Item) int { return slices.Index(Statuses, it.Status) }

// sorted returns a page of items in an order. The registry does not store items in such an order, so all are read.
func (l *Lookup) sorted(ctx context.Context, q LookupQuery) (page FoundPage, err error) {
	by, down := strings.CutPrefix(q.Sort, "-")
	order := orders[by]
	if order == nil {
		return page, fault.Field("sort", "sort must be one of source, status, lastChecked, lastChanged, nextCrawlAt and "+
			"firstSeen, with a hyphen before it for the other way round, not %.40q", q.Sort)
	}
	skip := 0
	if q.After != "" {
		if skip, err = strconv.Atoi(q.After); err != nil || skip < 0 {
			return page, notOfThisList(q.After)
		}
	}
	found, err := l.all(ctx, q.Filter)
	if err != nil {
		return page, err
	}
	slices.SortStableFunc(found, func(a, b Item) int {
		if down {
			a, b = b, a
		}
		return order(&a, &b)
	})
	page.Items = found[min(skip, len(found)):]
	if len(page.Items) > q.Top {
		page.Items, page.Next = page.Items[:q.Top], strconv.Itoa(skip+q.Top)
	}
	return page, nil
}

// all reads the items that a filter selects, up to the number that can be sorted.
func (l *Lookup) all(ctx context.Context, f Filter) (found []Item, err error) {
	read := 0
	for at, done := (Cursor{}), false; !done; {
		p, err := l.items.Pick(ctx, f, at, walkPiece)
		if err != nil {
			return nil, err
		}
		found, at, done, read = append(found, p.Items...), p.Next, p.Done, read+p.Looked
		if len(found) > maxSorted || read > maxRead {
			return nil, fault.Field("sort", "there are too many items to sort: name a host, a status or a tag that fewer "+
				"than %d have, or leave sort out", maxSorted)
		}
	}
	return found, nil
}

// Lookup finds items by an id, by an address, or by a property that many items share. It lists items a page at a
// time, sorted if required.
//
// A filter can have the host of an address, in any spelling. For files it has the name that the registry uses for
// their container.
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

// Filter selects items. An empty field accepts all items.
type Filter struct {
	Host   string `json:"host,omitempty"`
	Status Status `json:"status,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Paused bool   `json:"paused,omitempty"`
	// Positional selects items with a watch of their own that finds a row or an entry by its place.
	Positional bool `json:"positional,omitempty"`
	// Find is a part of the address or the title, in lower case.
	Find string `json:"find,omitempty"`
}

func (f Filter) wants(it *Item) bool {
	return (f.Status == "" || it.Status == f.Status) && (f.Tag == "" || slices.Contains(it.Tags, f.Tag)) &&
		(!f.Paused || it.Paused) &&
		(f.Find == "" || it.mentions(f.Find)) &&
		(!f.Positional || it.Options.Watch != nil && slices.ContainsFunc(it.Options.Watch.Include, selector.IsPositional))
}

// mentions reports whether the address or the title has a text, which is in lower case.
func (it *Item) mentions(text string) bool {
	return slices.ContainsFunc([]string{it.NormalizedSource, it.DisplaySource, it.Title}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}

// Picked is the result of one step of the walk over all items.
type Picked struct {
	Items  []Item // the items that match
	Looked int    // number of items that were examined
	Next   Cursor // where the next step begins
	Done   bool   // nothing remains after Next
}

// Pick examines a number of items, beginning at a cursor, in the order of [Items.List]. It returns those that match.
func (r *Items) Pick(ctx context.Context, f Filter, from Cursor, most int) (p Picked, err error) {
	w := itemWalk{Host: f.Host, Items: most, Partitions: max(most/8, stepPartitions)}
	at, err := r.s.OverItems(ctx, w, from, func(_ string, items []Item) error {
		for i := range items {
			if f.wants(&items[i]) {
				p.Items = append(p.Items, items[i])
			}
		}
		return nil
	})
	p.Looked, p.Next, p.Done = at.Items, at.Next, at.Done
	return p, err
}

// Check requests checks of items for a person. A paused item is checked, too, and stays paused afterwards. The
// outcomes are in the order of items.
func (r *Items) Check(ctx context.Context, items []Item) []Registered {
	sources := make([]source.Source, len(items))
	for i := range items {
		sources[i] = items[i].Source()
	}
	return r.Register(ctx, sources, RegisterOptions{asked: true})
}

// behind returns the cursor after an item.
func behind(it *Item) Cursor {
	return Cursor{Partition: it.Partition(), Row: justPast(it.Hash())}
}

// Filter validates a filter as people write it. An error names the request field at fault: the prefix, such as
// "filter.", followed by the field of the filter.
func (l *Lookup) Filter(asked Filter, prefix string) (f Filter, err error) {
	f = Filter{Status: asked.Status, Paused: asked.Paused, Positional: asked.Positional,
		Find: strings.ToLower(strings.TrimSpace(asked.Find))}
	if f.Status != "" && !slices.Contains(Statuses, f.Status) {
		field := prefix + "status"
		return f, fault.Field(field, "%s must be one of %v, not %.40q", field, Statuses, string(f.Status))
	}
	if asked.Tag != "" {
		if f.Tag, err = options.TagName(asked.Tag); err != nil {
			return f, fault.Field(prefix+"tag", "%stag: %w", prefix, err)
		}
	}
	f.Host, err = l.Host(prefix+"host", asked.Host)
	return f, err
}

// Host normalizes a host to the form that items have; "" for an empty host. Errors name the given request field.
func (l *Lookup) Host(field, host string) (string, error) {
	if host == "" || file.IsHost(host) {
		return host, nil
	}
	src, err := l.rules.ParseURL("https://" + host + "/")
	if err != nil {
		return "", fault.Field(field, "%w", err)
	}
	return src.Host, nil
}
