package registry

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Filter selects items. An empty field accepts all items.
type Filter struct {
	Host   string `json:"host,omitempty"`
	Status Status `json:"status,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Paused bool   `json:"paused,omitempty"`
}

func (f Filter) wants(it *Item) bool {
	return (f.Status == "" || it.Status == f.Status) && (f.Tag == "" || slices.Contains(it.Tags, f.Tag)) &&
		(!f.Paused || it.Paused)
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
	f = Filter{Status: asked.Status, Paused: asked.Paused}
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
