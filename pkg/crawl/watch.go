package crawl

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Where somebody watches a part of a page (W10), the page is fetched, stored and indexed as ever. What is told is
// decided by the part alone, which is read in the answer and, when it has changed, in the snapshot of before. So a
// check that finds nothing new costs nothing more, and other rules are applied to both sides alike: a change of the
// rules is none of the page. The item's row has short hashes of the part under a key that names the rules; under
// another key, what is stored is read once more before the site is asked, as after a change of our own rules.

// watching is what somebody watches of an item; nil for all of it.
type watching struct {
	key    string // names the rules
	index  bool   // the part is what is indexed
	reader *part.Reader
}

// watchingOf makes rules of what is set for an item.
func watchingOf(set *options.Watch, version string) *watching {
	if set == nil {
		return nil
	}
	w := &watching{index: set.Index == options.IndexWatched, reader: part.NewReader(set.Spec())}
	if len(set.Include)+len(set.Exclude)+len(set.Ignore) == 0 && set.Trigger == "" {
		return nil
	}
	// What only silences is no part of the key: it changes nothing of what is known.
	text, _ := json.Marshal([]any{set.Include, set.Exclude, set.Ignore, w.index, version}) // of texts: always encodes
	sum := xxhash.Sum64(text)
	w.key = hex.EncodeToString([]byte{byte(sum >> 56), byte(sum >> 48), byte(sum >> 40), byte(sum >> 32), byte(sum >> 24),
		byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return w
}

// rules are the compiled ones. What is stored has been compiled before, so there is no error.
func (w *watching) rules() *watch.Rules {
	rules, _ := w.reader.Rules()
	return rules
}

// of reads the part of a page, and what of the page is to be indexed.
func (w *watching) of(doc extract.Document, body []byte, contentType, baseURL string) (extract.Document, *part.Part) {
	if w == nil {
		return doc, nil
	}
	p := w.reader.Read(doc, body, contentType, baseURL)
	if !w.index || p.Elements == 0 {
		return doc, &p
	}
	indexed := p.Doc
	indexed.VisibleText, indexed.MimeType = doc.VisibleText, doc.MimeType
	return indexed, &p
}

// lost says why the part is not there, or not as it was; "" if it is.
func (w *watching) lost(it *registry.Item, p *part.Part) string {
	before := 0
	if it.Watched.Key == w.key {
		if before = it.Watched.Letters; it.Watched.Asked || it.Watched.Empty && p.Elements == 0 && p.Why == "" {
			return ""
		}
	}
	switch {
	case p.Why != "":
		return p.Why
	case !w.rules().Narrow():
		return ""
	}
	return watch.Lost(p.Elements, p.Letters, before)
}

// sameWatched reports whether the part is as it is known.
func (w *watching) sameWatched(it *registry.Item, p *part.Part) bool {
	if w == nil || p == nil {
		return it.Watched.Key == ""
	}
	if it.Watched.Key != w.key || it.Watched.Asked {
		return false
	}
	lost := w.lost(it, p)
	return (lost != "") == (it.Watched.Broken != "") && (lost != "" || w.present(it, p))
}

// present reports whether the part's text is the one that is known.
func (w *watching) present(it *registry.Item, p *part.Part) bool {
	states := change.StatesOf(it.Watched.States)
	return len(states) > 0 && states[0] == p.State
}

// watched is what is known of the part after a reading.
func (w *watching) watched(it *registry.Item, p *part.Part, raw string, now time.Time) registry.Watched {
	if w == nil || p == nil {
		return registry.Watched{}
	}
	was := it.Watched
	if was.Key != w.key { // there is nothing to compare with
		was = registry.Watched{Key: w.key, Broken: was.Broken, Since: was.Since}
	}
	if why := w.lost(it, p); why != "" {
		if was.Broken == "" {
			was.Since = now
		}
		was.Broken, was.BrokenRaw = why, raw
		return was
	}
	return registry.Watched{Key: was.Key, States: change.StatesOf(was.States).Push(p.State).Bytes(), Letters: p.Letters,
		Empty: p.Elements == 0}
}

// stands takes note that the source answered with what is stored. Where the part was broken in an answer that was not
// stored, it is there again.
func stands(it registry.Item) registry.Item {
	if w := &it.Watched; w.Broken != "" && w.BrokenRaw != it.RawHash {
		w.Broken, w.BrokenRaw, w.Since = "", "", time.Time{}
	}
	return it
}

// silencing is the rule that hides a change as a whole, beside those of its lines.
const (
	silencedBroken  = "watchBroken: what is watched is not there"
	silencedPart    = "watch: what is watched is the same"
	silencedTrigger = "trigger: not found: "
)

// newsOf says of the news of a page what they are of the part that is watched.
func (w *watching) newsOf(it *registry.Item, r read, n news) news {
	p := r.part
	if w == nil || p == nil || it.Watched.Key != w.key || n.kind == change.New ||
		len(it.Watched.States) == 0 && it.Watched.Broken == "" { // then nobody knows what it was
		return n
	}
	switch {
	case w.lost(it, p) != "" || it.Watched.Broken != "" || it.Watched.Asked:
		n.silenced = silencedBroken
	case w.present(it, p):
		if n.kind.OfContent() || n.kind == change.Reverted || w.rules().Narrow() ||
			n.kind == change.Title && w.rules().Ignored(r.doc.Title) != "" && w.rules().Ignored(it.Title) != "" {
			n.silenced = silencedPart
		}
	default:
		n.kind, n.part = change.Content, true
		for _, s := range change.StatesOf(it.Watched.States) {
			if s == p.State {
				n.kind = change.Reverted
			}
		}
		n.why, n.extent = n.kind.Why(change.Extent{}), change.Extent{}
		if !w.rules().Triggered(p.Text) {
			n.silenced = silencedTrigger + w.rules().Trigger()
		}
	}
	if n.kind == change.None {
		n.silenced = ""
	}
	return n
}

// holds reports whether the part is there, by which a page is known that has lost much else (H9).
func (w *watching) holds(it *registry.Item, p *part.Part) bool {
	return w != nil && p != nil && w.rules().Narrow() && w.lost(it, p) == ""
}

// keepsPart reports whether the index is to keep the part that it has, because the page has none now.
func (w *watching) keepsPart(it *registry.Item, p *part.Part) bool {
	return w != nil && p != nil && w.index && it.Watched.Key == w.key && len(it.Watched.States) > 0 &&
		w.lost(it, p) != ""
}

// otherRules reports whether what is watched of an item is known by other rules than the present ones.
func (w *watching) otherRules(it *registry.Item) bool {
	if w == nil {
		return it.Watched.Key != ""
	}
	return it.Watched.Key != w.key
}

// unknown is what is known of a part when what is stored of the page cannot be read: nothing to compare with.
func (w *watching) unknown() (known registry.Watched) {
	if w != nil {
		known.Key = w.key
	}
	return known
}
