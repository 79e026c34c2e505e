package verdict

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The fields of a page (G1), such as a price, are read together with its text. What is known of them is in the item's
// row. A check that does not read the page finds the same values.
//
// A change of a field is told if somebody asked for the field, in a watch or by a rule, and for the price, the sale
// price and the availability unless people watch only a part of the page. Told changes that explain all that differs
// of the page give it the kind field.

// FieldNews is what a check finds of the fields of an item.
type FieldNews struct {
	Changes []field.Change
	Entries []field.Entry // for the histories
}

// ReadFields records what a reading says of the fields. A baseline is not compared with what was known before.
func ReadFields(b Basis, it *registry.Item, r Reading, capture string, baseline bool, now time.Time) FieldNews {
	next, changes, entries := it.Fields.See(field.Reading{Results: r.Fields, Unread: r.NoFields, UnreadData: r.UnreadData,
		Keys: b.Fields.keys, Capture: capture, At: now, Baseline: baseline})
	next.Again = it.Fields.Again
	it.Fields = next
	if it.Fields.Body = ""; capture != it.RawHash {
		it.Fields.Body = capture
	}
	if b.Watching.hides() {
		for i := range changes {
			c := &changes[i]
			c.Reported = c.Reported && b.Fields.keys[c.Name] != ""
		}
	}
	return FieldNews{changes, entries}
}

// hides reports whether people watch only some of the page.
func (w *Watching) hides() bool {
	return w != nil && (w.rules().Selects() || w.rules().Ignores() || w.rules().Trigger() != "")
}

// And returns the news of two readings in one check, of which the second is that of the source's answer. A value that
// the first reading found in what was stored, and the second found changed, is a change of a field that begins with it.
func (n FieldNews) And(later FieldNews) FieldNews {
	n.Entries = append(n.Entries, later.Entries...)
	for _, c := range later.Changes {
		i := slices.IndexFunc(n.Changes, func(was field.Change) bool { return was.Name == c.Name })
		if i < 0 {
			n.Changes = append(n.Changes, c)
			continue
		}
		c.Begins = n.Changes[i].First && !c.Same
		if !c.Same || !n.Changes[i].First {
			n.Changes[i] = c
		}
	}
	return n
}

// FieldsStand records that a check found the page as it was, without reading it.
func FieldsStand(it *registry.Item) (n FieldNews) {
	it.Fields, n.Changes = it.Fields.Stands()
	return n
}

// AskedByRules marks the changes that are told because rules name their fields.
func (n FieldNews) AskedByRules(names []string) FieldNews {
	for i := range n.Changes {
		n.Changes[i].Reported = n.Changes[i].Reported || slices.Contains(names, n.Changes[i].Name)
	}
	return n
}

// Needs reports whether rules must be asked about the changes: for a field that is not told anyway, and for a check
// that found the same.
func (n FieldNews) Needs() bool {
	return slices.ContainsFunc(n.Changes, func(c field.Change) bool { return c.Same || !c.Reported && !c.First })
}

// those returns the changes that a function selects; nil if there are none.
func those(all []field.Change, wanted func(field.Change) bool) (out []field.Change) {
	for _, c := range all {
		if wanted(c) {
			out = append(out, c)
		}
	}
	return out
}

// WithFields adds the news of fields to the outcome of a check. Texts are those that differ, or nil if they were not
// compared. Same says that a rule waits for a check that finds the same.
func WithFields(was, it *registry.Item, o Outcome, n FieldNews, t *Texts, same bool, now time.Time) Outcome {
	shown := those(n.Changes, field.Change.ForReaders)
	o.News.Fields = those(n.Changes, func(c field.Change) bool { // also for the conditions of rules
		return c.Reported && (same || !c.Same)
	})
	switch {
	case len(shown) > 0 && (o.News.Kind == change.None && o.Kind != schedule.Changed || o.News.Silenced != ""):
		o.News.Bare = true
		fallthrough
	case len(shown) > 0 && explains(was, it, o, shown, t):
		it.Moving.Line = "" // what has moved is the value of a field, and no noise
		o.News.Small, o.News.Again = nil, false
		o.News.Kind, o.News.Silenced, o.News.Why = change.Field, "", whyFields(shown, now)
	case o.News.Kind == change.None && o.Kind != schedule.Changed && len(o.News.Fields) > 0:
		o.News.Kind, o.News.Why, o.News.Silenced = change.Field, whyFields(o.News.Fields, now), silencedFields
	}
	return o
}

// silencedFields is the rule that silences a change which only conditions of rules need.
const silencedFields = "fields: for the conditions of rules only"

// FieldsText says what has become of the fields of which readers are told; "" if of none.
func (n News) FieldsText(now time.Time) string {
	return whyFields(those(n.Fields, field.Change.ForReaders), now)
}

// whyFields describes changes of fields for people.
func whyFields(all []field.Change, now time.Time) string {
	var out []string
	for _, c := range all {
		text := c.Name + ": "
		if c.First {
			text = "the first value of " + text
		}
		out = append(out, text+c.Text(now))
	}
	return words.ClipRunes(strings.Join(out, "; "), 300)
}

// explains reports whether told changes explain all that differs of a page.
func explains(was, it *registry.Item, o Outcome, shown []field.Change, t *Texts) bool {
	textual := o.News.Kind == change.Content || o.News.Kind == change.Beside || o.News.Kind == change.Reverted
	switch {
	case o.News.Kind == change.Title:
		t = &Texts{}
	case !textual || t == nil:
		return false
	}
	return was.ImagesHash == it.ImagesHash && knownToSay(was) == knownToSay(it) &&
		field.Explain(shown, t.Before+"\n"+was.Title, t.Now+"\n"+it.Title)
}

// FieldsAgain returns the present values as first ones, if a rule asks for them.
func FieldsAgain(it *registry.Item) (first []field.Change) {
	if rule := it.Fields.Again; rule != "" {
		it.Fields.Again, first = "", it.Fields.Present(rule)
	}
	return first
}

// ChangeOf returns a change of an item that says nothing but which item it is.
func ChangeOf(it *registry.Item, now time.Time) feed.Change {
	return feed.Change{At: now, Kind: feed.Field, ItemID: string(it.ID), Type: string(it.Type), Host: it.SourceHost,
		URL: it.DisplaySource, Title: it.Title, Tags: it.Tags}
}

// CaptureOf describes the capture of a new body. The contents of the body must be copied into the item first.
func CaptureOf(it *registry.Item, got Answer, r Reading, runID string, now time.Time) snapshot.Capture {
	return snapshot.Capture{
		ItemID: it.ID, RawHash: it.RawHash, ContentHash: it.ContentHash, TextHash: it.TextHash,
		CanonicalURI: canonicalURI(it), FetchURL: it.HTTPFinalURL, MimeType: it.MimeType,
		StatusCode: got.Response.Status, Header: keptHeaders(got.Response), Bytes: int64(len(got.Response.Body)),
		NormalizationVersion: it.NormalizationVersion, RunID: runID, CapturedAt: now,
		PlainHash: got.Plain, Sent: got.Sent, Declared: field.Digest(r.Fields), Fields: fieldsJSON(r.Fields),
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
	}
}

// fieldsJSON returns the fields that were read, as captures keep them; nil if there are none.
func fieldsJSON(fields []field.Result) []byte {
	if len(fields) == 0 {
		return nil
	}
	text, _ := json.Marshal(fields) // strings always encode
	return text
}

// NoteBareFields records in the history a change that is nothing but values of a page whose text is the same.
func NoteBareFields(it registry.Item, o Outcome, now time.Time) registry.Item {
	if n := o.News; n.Kind == change.Field && n.Silenced == "" && n.Why != "" {
		it.Record(now, string(n.Kind), n.Why)
	}
	return it
}

// NoteSaved records on the item what is now stored for it, and records in its history what has changed. If returned
// is set, the item has had this body before.
func NoteSaved(
	it registry.Item, saved snapshot.Saved, o Outcome, returned bool, bytes int64, now time.Time,
) registry.Item {
	if saved.Added {
		kept := KeptOf(&it).Added(bytes)
		it.CaptureCount, it.CaptureBytes = kept.Count, kept.Bytes
	}
	if it.OldestCapture.IsZero() {
		it.OldestCapture = saved.Replaced
	}
	n := o.News
	// An earlier attempt may have measured the extent. What is said of fields does not depend on it.
	if e := saved.Change.Extent(); e.Measured && !n.Extent.Measured && n.Kind != change.Field {
		n.Why = n.Kind.Why(e)
	}
	if n.Silenced != "" {
		it.Record(now, "silenced", n.Silenced)
		return it
	}
	if text := n.FieldsText(now); text != "" && n.Kind != change.Field {
		n.Why = strings.Trim(n.Why+"; "+text, "; ")
	}
	switch n.Kind {
	case change.New, change.Beside, change.Beyond, change.Bytes:
		it.Record(now, "changed", n.Why)
	case change.Content, change.Reverted:
		if returned {
			n.Why = "the content is that of " + storage.FormatTime(saved.Since) + " again"
		}
		it.Record(now, map[bool]string{true: "changed", false: "reverted"}[n.Kind == change.Content], n.Why)
	case change.Title, change.Images, change.Metadata, change.Field:
		if n.Why != "" {
			it.Record(now, string(n.Kind), n.Why)
		}
	}
	return it
}

// KeptOf returns how much is stored for the item, according to its row.
func KeptOf(it *registry.Item) snapshot.Kept {
	return snapshot.Kept{Count: it.CaptureCount, Bytes: it.CaptureBytes, Oldest: it.OldestCapture}
}
