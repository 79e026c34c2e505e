package entries

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// newsPrefix is the prefix of the row keys of changes that the feed may lack. It sorts directly before the prefix
	// of outbox entries, so that one query finds both.
	newsPrefix = "w|"
	// maxCompared bounds the size, in bytes, of each of the two texts whose difference is published.
	maxCompared = 32 << 10
)

// news is a change of an entry for the feed. The transaction that changes the entry also writes the news to a row of
// its own. The row is removed when the news is published. The zero value contains no change.
type news struct {
	key   storage.Key
	until time.Time // the time from which others may publish the change, too
	group feed.Group
}

// newsRow is the row in which news is stored. Its key contains the name of the feed's group.
type newsRow struct {
	Until  time.Time   `col:"until"`
	Since  int         `col:"since"`
	Change feed.Change `col:"change,gzip,must"`
}

var newsRows = rows.Of[newsRow]()

// news returns the news to write together with an entry. It is empty if c is nil, and for entries of the schema for
// tests.
func (o outbox) news(ctx context.Context, entry storage.Key, c *feed.Change) (news, error) {
	if c == nil || o.feed == nil || !o.searched {
		return news{}, nil
	}
	since, err := o.feed.Segment(ctx)
	if err == nil {
		err = o.feed.Keep(ctx, since, []*feed.Change{c})
	}
	// Several rows of news may wait for one entry; they sort by time.
	name := fmt.Sprintf("%s%016x%s", strings.TrimPrefix(entry.Row, rowText), c.At.UnixNano(), newToken()[:10])
	return news{
		key: storage.Key{Partition: entry.Partition, Row: newsPrefix + name}, until: o.claimUntil(claimTime),
		group: feed.Group{ID: name, Since: since, Changes: []feed.Change{*c}},
	}, err
}

func newsOf(e storage.Entity) (news, error) {
	r, err := newsRows.Decode(e.Props)
	return news{key: e.Key, until: r.Until, group: feed.Group{
		ID: strings.TrimPrefix(e.Row, newsPrefix), Since: r.Since, Changes: []feed.Change{r.Change},
	}}, err
}

func (n news) insert() storage.Op {
	return storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: n.key,
		Props: newsRows.Encode(&newsRow{n.until, n.group.Since, n.group.Changes[0]})}}
}

func (n news) remove() storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: n.key, ETag: storage.AnyETag}}
}

// publish publishes news to the feed and records that their rows can be removed. It costs one request for each thirty
// changes. It logs and leaves out news that the feed will never accept.
func (f *flusher) publish(ctx context.Context, all []news) error {
	groups := make([]feed.Group, len(all))
	for i, n := range all {
		groups[i] = n.group
	}
	if len(all) == 0 {
		return nil
	}
	err := f.feed.Publish(ctx, groups...)
	for _, n := range all {
		if err != nil && !f.feed.Knows(n.group.ID) {
			return err
		}
	}
	if err != nil {
		f.log.ErrorContext(ctx, "changes of entries were left out of the feed", "err", err)
	}
	for _, n := range all {
		f.published[n.key.Partition] = append(f.published[n.key.Partition], n.remove())
	}
	return nil
}

// tidy removes the remaining rows of published news, which were not removed together with outbox entries.
func (f *flusher) tidy(ctx context.Context) error {
	for partition := range f.published {
		if _, err := f.remove(ctx, partition, nil); err != nil {
			return err
		}
	}
	return nil
}

// inserted returns the feed's change for a new entry.
func inserted(r row, now time.Time) *feed.Change {
	e := change.Compare(change.WordsOf(""), change.WordsOf(entry.TextOf(r.fields)))
	return aboutEntry(r.fields, feed.Change{At: now, Kind: feed.New, Why: "the entry is new",
		Share: e.New, WordsAdded: e.Added})
}

// updated returns the feed's change for an updated entry, and what is remembered of its lines afterwards. The change is
// nil if only measures of the text differ, as they do when the program's rules change.
func updated(r row, is entry.Fields, now time.Time) (*feed.Change, []byte) {
	was, c := r.fields, feed.Change{At: now}
	old, text := entry.TextOf(was), entry.TextOf(is)
	switch {
	case old != text:
		e := change.Compare(change.WordsOf(old), change.WordsOf(text))
		c.Kind, c.Why = feed.Content, change.Content.Why(e)
		c.Share, c.WordsAdded, c.WordsRemoved = max(e.New, e.Gone), e.Added, e.Removed
	case was.Text("title") != is.Text("title"):
		c.Kind, c.Why = feed.Title, change.Title.Why(change.Extent{})
	case described(was) != described(is):
		c.Kind, c.Why = feed.Metadata, change.Metadata.Why(change.Extent{})
	default:
		return nil, r.lines
	}
	lines, moving := see(r.lines, was, is, &c)
	if old != text {
		c.SetDifference(textdiff.Text{Text: old}, textdiff.Text{Text: text}, maxCompared, moving)
	}
	return aboutEntry(is, c), lines
}

// described joins the texts that describe an entry, in lines. The title and the text of the entry are not among them.
func described(f entry.Fields) string {
	said := []string{f.Text("author"), f.Text("url"), f.Text("url_canonical"), f.Text("content_type")}
	metadata, _ := json.MarshalIndent(f["metadata"], "", "  ") // metadata always encodes
	return strings.Join(append(said, string(metadata)), "\n")
}

// aboutEntry adds the entry's data to a change.
func aboutEntry(f entry.Fields, c feed.Change) *feed.Change {
	c.EntryID, c.Type, c.Host = f.Text("id"), entry.TypeEntry, entry.HostOf(f)
	c.URL, c.Title = words.Clip(f.Text("url"), 1000), words.Clip(entry.TitleOf(f), 300)
	return &c
}

// logRefused logs news whose row cannot be read, so that it can never be published.
func (f *flusher) logRefused(ctx context.Context, key storage.Key, err error) {
	f.log.ErrorContext(ctx, "a change of an entry cannot be read, and is left out of the feed",
		"row", key.Row, "kind", fault.KindOf(err), "err", err)
}
