package feed

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The passages of a change are those with most to say. A rule that looks for words looks at everything that differs,
// which is in a row of its own: lists of changes do not read it, and the row of a host, which has the changes of a
// commit until they are published, has no room for it. The row is written before the commit, so everybody who reads
// the change finds it. It is in the partition of the segment after the one that was open then, and is purged with that:
// the change may come into either, because Publish opens a segment when the open one is old.

// maxWhole is the largest size, in bytes and compressed, of a difference that is kept.
const maxWhole = 64 << 10

// differenceRow is everything that differs in a change.
type differenceRow struct {
	Passages []Passage `col:"passages,gzip"`
}

var differenceRows = row.Of[differenceRow]()

// differenceKey returns the key of a difference by the name that Change.Whole has.
func differenceKey(whole string) (storage.Key, bool) {
	in, name, found := strings.Cut(whole, ".")
	return storage.Key{Partition: in, Row: "d" + name}, found
}

// wholeOf returns the name of the difference of a change: the same for each call with the same change.
func wholeOf(c *Change, since int) string {
	sum := sha256.Sum256([]byte(strings.Join(
		[]string{c.ItemID, c.EntryID, string(c.Kind), c.From, c.To, storage.FormatTime(c.At)}, "\n")))
	return partition(since+1) + "." + strings.ToLower(base32.HexEncoding.EncodeToString(sum[:10]))
}

// Keep writes the differences of changes, in one request, and sets Whole of these changes. Callers do this before they
// commit the changes; since is the number of the segment that their group has. Where a difference is cut, Why says so.
// If the store refuses the differences, Why says that, too, and the changes go on without. Repeated calls write the
// same rows.
func (f *Feed) Keep(ctx context.Context, since int, changes []*Change) error {
	var ops []storage.Op
	names := map[*Change]string{}
	for _, c := range changes {
		if len(c.Difference) == 0 || c.Whole != "" {
			continue
		}
		props, all := fitting(c.Difference)
		c.Cut = c.Cut || !all
		names[c] = wholeOf(c, since)
		key, _ := differenceKey(names[c])
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: key, Props: props}})
	}
	if len(ops) > 0 {
		_, err := f.rows.Transact(ctx, ops...)
		if err != nil && !fault.Refused(err) {
			return err
		}
		for c, name := range names {
			if c.Whole = name; err != nil {
				c.Whole, c.Cut = "", true
			}
		}
	}
	for _, c := range changes {
		if c.Cut {
			c.Why, c.Cut = strings.TrimPrefix(c.Why+"; "+whyCut, "; "), false
		}
	}
	return nil
}

// whyCut is what a change says whose difference is cut.
const whyCut = "it is too long for rules to see all of it: compare its two versions"

// fitting returns the columns of as much of a difference, from its beginning on, as fits into a row. The result whole
// reports whether that is all.
func fitting(all []Passage) (props storage.Properties, whole bool) {
	bytes := 0
	for _, p := range all {
		bytes += len(p.Text)
	}
	for most := bytes; ; most = most * 3 / 4 {
		props = differenceRows.Encode(&differenceRow{firstOf(all, most)})
		if size(props) <= maxWhole {
			return props, most == bytes
		}
	}
}

// firstOf returns the first passages of a difference, of at most that many bytes together. The last one may be cut.
func firstOf(all []Passage, most int) (out []Passage) {
	for _, p := range all {
		if len(p.Text) > most {
			return append(out, Passage{Text: words.Clip(p.Text, most), Op: p.Op})
		}
		out = append(out, p)
		most -= len(p.Text)
	}
	return out
}

// size returns the size of the binary columns of a row.
func size(props storage.Properties) (n int) {
	for _, value := range props {
		if packed, ok := value.([]byte); ok {
			n += len(packed)
		}
	}
	return n
}

// WithDifference returns a change with everything that differs, if that is kept. After a purge the change has its
// passages alone.
func (f *Feed) WithDifference(ctx context.Context, c Change) (Change, error) {
	key, found := differenceKey(c.Whole)
	if !found || c.Difference != nil {
		return c, nil
	}
	e, err := f.rows.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	r, err := differenceRows.Decode(e.Props)
	c.Difference = r.Passages
	return c, err
}

// Differing returns everything that differs, as far as it was read; else the passages.
func (c Change) Differing() []Passage {
	if c.Difference != nil {
		return c.Difference
	}
	return c.Passages
}
