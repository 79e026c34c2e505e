package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// If a page is watched as a list (W25), each entry that was not seen before is a change of its own. The item's row
// has the entries that were seen. It is committed together with the changes, so no crash tells an entry twice or
// loses one. Entries that are to be registered are registered before the commit; the check that is repeated after a
// crash registers them again, which changes nothing. The first reading of a list under a rule tells nothing.

// Entry is an entry of a list, with its identity.
type Entry struct {
	extract.Entry
	Source source.Source
}

// Entries are the entries of a reading of a list.
type Entries struct {
	New    []Entry // in the order of the list
	Wanted []Entry // to be registered
}

// ReadList records the entries of a reading of a list in the item. It returns those that are new, and those that are
// to be registered. Nothing of a stored document is new, because its answer was read before. A reading without
// entries is ignored: it is a broken watch.
func (b Basis) ReadList(it *registry.Item, p *part.Part, stored bool, now time.Time) (out Entries) {
	w := b.Watching
	if w == nil || w.list == "" {
		it.Listed = registry.Listed{}
		return out
	}
	if p == nil || p.List == nil || len(p.List.All) == 0 {
		return out
	}
	was := it.Listed
	if was.Key != w.listKey {
		was = registry.Listed{}
	}
	all, ids := b.identities(it, p.List.All)
	seen, fresh, forgotten := was.Seen.See(ids)
	if forgotten > 0 && was.Forgotten == 0 {
		it.Record(now, "listed", fmt.Sprintf("more than %d entries were seen: those that the list has not shown for the "+
			"longest time are forgotten", seen.Len()))
	}
	if p.List.More > 0 && was.More == 0 {
		it.Record(now, "listed", "only the first "+words.Count(extract.MaxEntries, "entry")+" of the list are read")
	}
	first := was.Key == "" || stored
	was.Key, was.Seen, was.Now, was.More = w.listKey, seen, len(all), p.List.More
	was.Forgotten += forgotten
	it.Listed = was
	for _, i := range fresh {
		if !first {
			out.New = append(out.New, all[i])
		}
		if w.list == options.ListAddAll || w.list == options.ListAdd && !first {
			out.Wanted = append(out.Wanted, all[i])
		}
	}
	return out
}

// identities returns the entries that are sources, one for each, with their identities. The list itself is not one.
func (b Basis) identities(it *registry.Item, entries []extract.Entry) (all []Entry, ids []string) {
	known := map[string]bool{it.NormalizedSource: true}
	for _, e := range entries {
		s, err := b.Rules.Sources.ParseURL(e.URL)
		if err != nil || known[s.Normalized] {
			continue
		}
		known[s.Normalized] = true
		all, ids = append(all, Entry{e, s}), append(ids, s.Normalized)
	}
	return all, ids
}

// RefusedEntries records on the item which entries of its list were refused.
func RefusedEntries(it *registry.Item, refused []registry.Refused, now time.Time) {
	const most = 5
	if it.Listed.Refused, it.Listed.RefusedMore = nil, 0; len(refused) == 0 {
		return
	}
	it.Listed.RefusedMore = max(0, len(refused)-most)
	for _, r := range refused[:min(len(refused), most)] {
		r.URL, r.Why = words.ClipRunes(r.URL, 300), words.ClipRunes(r.Why, 200)
		it.Listed.Refused = append(it.Listed.Refused, r)
	}
	it.Record(now, "listed", fmt.Sprintf("%s not registered; the first: %s: %s", words.Count(len(refused), "entry"),
		it.Listed.Refused[0].URL, it.Listed.Refused[0].Why))
}

// ListedOf returns the changes that tell new entries. Known are the ids of the items of entries.
func ListedOf(it *registry.Item, b Basis, told []Entry, known map[source.ID]bool, now time.Time) (out []feed.Change) {
	for i, e := range told {
		c := feed.Change{At: now, Kind: feed.Listed, From: b.RawBefore, To: it.RawHash, Part: b.Watching.rules().Narrow()}
		if i == feed.MaxListed {
			more := len(told) - i
			c.Why = "and " + words.Count(more, "more new entry") + " of the list"
			c.Entry = &feed.Entry{More: more}
			return append(out, c)
		}
		title := e.URL
		if c.Why = "new in the list: " + title; e.Title != "" {
			title = e.Title
			c.Why = "new in the list: " + title + ", " + e.URL
		}
		c.Entry = &feed.Entry{Title: e.Title, URL: e.URL}
		if id := e.Source.ID(); known[id] {
			c.Entry.ID = string(id)
		}
		text := e.Text
		text = cmp.Or(text, title)
		c.Passages = []feed.Passage{{Text: words.Clip(text, feed.MaxPassage), Op: feed.Added}}
		out = append(out, c)
	}
	return out
}

// identityOf returns the identity of an address; of one that is no source, the address.
func (b Basis) identityOf(address string) string {
	s, err := b.Rules.Sources.ParseURL(address)
	if err != nil {
		return address
	}
	return s.Normalized
}

// silencedList is the rule that silences a change of a list that its entries explain.
const silencedList = "list: only its entries differ, or their order"

// ExplainList silences the change of a page of which nothing differs but the entries of its list. If none of them is
// new, the page counts as unchanged for the time of the next check.
func (b Basis) ExplainList(was, it *registry.Item, old *part.Part, r Reading, o Outcome, told bool) Outcome {
	kinds := []change.Kind{change.Content, change.Beside, change.Reverted}
	if o.News.Silenced != "" || !slices.Contains(kinds, o.News.Kind) || !part.Explained(old, r.Part, b.identityOf) {
		return o
	}
	if o.News.Silenced = silencedList; !told {
		o.Kind, it.LastChanged = schedule.Unchanged, was.LastChanged
	}
	return o
}
