package verdict

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
)

// If people watch a part of a page (W10), the page is fetched, stored and indexed as usual, but only changes of the
// part are reported to readers. The part is read in the answer. If the part has changed, it is also read in the
// earlier snapshot. So a check that finds nothing new costs no more. New rules apply to both sides, and a change of
// the rules is not reported as a change of the page.
//
// The item's row has short hashes of the part, and a key that identifies the rules. When the key differs from that of
// the present rules, the stored capture is read again before the request to the site, as after a change of the
// normalization version.

// Watching is the watched part of an item. It is nil if the whole item is watched.
type Watching struct {
	key    string // identifies the rules
	set    *api.Watch
	empty  bool // the part is empty: nothing stands for it in the index
	index  bool // whether only the part is indexed
	reader *part.Reader

	list    string // what is done with its entries; "" if the page is no list
	listKey string // identifies the rule by which its entries are found
}

// WatchingOf returns the watched part of an item, according to the options that people have set for the item.
func WatchingOf(it *registry.Item, set *api.Watch, version string) *Watching {
	if set == nil {
		return nil
	}
	w := &Watching{index: set.Index == options.IndexWatched, reader: part.NewReader(options.Spec(set))}
	if len(set.Include)+len(set.Exclude)+len(set.Ignore) == 0 && set.Trigger == "" && set.List == "" {
		return nil
	}
	if w.set = set; set.List != "" {
		w.list, w.listKey = set.List, keyOf(set.ListLinks, set.Include)
	}
	w.key = w.keyUnder(version, readsUnseen)
	w.empty = it.Watched.Empty && w.renewed(it.Watched, it.NormalizationVersion).Key == w.key
	return w
}

// readsUnseen is the version of the rules by which selected elements are read. Before it, those that readers of the
// page do not see had no text, and keys had no such version.
const readsUnseen = "2"

// keyUnder returns what identifies the rules, if parts are read under a version. Rules that only silence changes are
// not part of the key, because they do not alter the watched part.
func (w *Watching) keyUnder(version, selected string) string {
	set := w.set
	key := []any{set.Include, set.Exclude, set.Ignore, w.index, version}
	if set.List != "" {
		key = append(key, w.listKey, set.List == options.ListAddAll)
	}
	if selected != "" && len(set.Include) > 0 {
		key = append(key, selected)
	}
	return keyOf(key...)
}

// renewed returns what is known of a part that was read by the same rules under an earlier version, as what is known of
// it now: the state of its text is not, unless the part is broken. It returns anything else as it is.
func (w *Watching) renewed(known registry.Watched, version string) registry.Watched {
	if w == nil || known.Key == w.key || known.Key != w.keyUnder(version, readsUnseen) &&
		known.Key != w.keyUnder(version, "") {
		return known
	}
	if known.Key = w.key; known.Broken == "" {
		known.States, known.Letters = nil, 0
	}
	return known
}

// rules returns the compiled rules. Rules are compiled before they are stored, so compiling them again cannot fail.
func (w *Watching) rules() *watch.Rules {
	rules, _ := w.reader.Rules()
	return rules
}

// Read reads the watched part of a page. The returned document is the one to be indexed.
func (w *Watching) Read(doc extract.Document, body []byte, contentType, baseURL string) (extract.Document, *part.Part) {
	if w == nil {
		return doc, nil
	}
	p := w.reader.Read(doc, body, contentType, baseURL)
	return w.indexed(doc, &p), &p
}

// indexed returns what is indexed of a page with a watched part.
func (w *Watching) indexed(doc extract.Document, p *part.Part) extract.Document {
	if !w.index || p.Elements == 0 && (!w.empty || p.Why != "") {
		return doc
	}
	indexed := p.Doc
	indexed.VisibleText, indexed.MimeType = doc.VisibleText, doc.MimeType
	return indexed
}

// lost returns why the part is missing or broken; "" if the part exists as before, or is empty.
func (w *Watching) lost(it *registry.Item, p *part.Part) string {
	before, known := 0, it.Watched
	if known.Key == w.key {
		before = known.Letters
	}
	why := w.missing(p, before)
	switch {
	case known.Key != w.key || why == "" || p.Why != "" || known.Broken != "" && !known.Asked:
		return why
	case known.Asked, p.Around == part.AsBefore, known.Empty && w.isEmpty(p) && p.Around == part.Unknown:
		return ""
	case p.Around == part.Unknown:
		return why
	}
	return why + ", and " + p.Around
}

// missing returns what is missing of the part, whatever the page around it is like; "" if nothing is.
func (w *Watching) missing(p *part.Part, before int) string {
	switch {
	case p.Why != "":
		return p.Why
	case p.List != nil && len(p.List.All) == 0:
		return p.List.Why
	case !w.rules().Narrow():
		return ""
	}
	return watch.Lost(w.rules().Name(), p.Elements, p.Letters, before)
}

// NeedsEarlier reports whether the page of before says if a part that is missing is empty or broken. A list without
// entries is broken: that none are there is nothing that it tells.
func (w *Watching) NeedsEarlier(it *registry.Item, p *part.Part) bool {
	known := it.Watched
	return w != nil && p != nil && known.Key == w.key && known.Broken == "" && !known.Asked && p.Why == "" &&
		(p.List == nil || len(p.List.All) > 0) && (known.Empty || len(known.States) > 0) &&
		w.missing(p, known.Letters) != ""
}

// CompareEarlier finds out whether a part that is missing is empty or broken, by the page of before. It returns what is
// indexed of the page, if that is other than what was read.
func (w *Watching) CompareEarlier(r Reading, earlier *part.Part) (indexed extract.Document, other bool) {
	r.Part.CompareAround(earlier)
	w.empty = r.Part.Around == part.AsBefore && w.isEmpty(r.Part)
	return w.indexed(r.Doc, r.Part), w.index
}

// WasBroken reports whether an outcome tells the text of a part that was broken.
func WasBroken(was *registry.Item, o Outcome) bool { return was.Watched.Broken != "" && o.News.Part }

// sameWatched reports whether the part equals the known one.
func (w *Watching) sameWatched(it *registry.Item, p *part.Part) bool {
	if w == nil || p == nil {
		return it.Watched.Key == ""
	}
	if it.Watched.Key != w.key || it.Watched.Asked {
		return false
	}
	lost := w.lost(it, p)
	return (lost != "") == (it.Watched.Broken != "") && (lost != "" || w.present(it, p))
}

// present reports whether the part's text equals the known text.
func (w *Watching) present(it *registry.Item, p *part.Part) bool {
	states := change.StatesOf(it.Watched.States)
	return len(states) > 0 && states[0] == p.State
}

// watched returns what the item's row records about the part after a reading.
func (b Basis) watched(it *registry.Item, r Reading, now time.Time) registry.Watched {
	w, p := b.Watching, r.Part
	if w == nil || p == nil {
		return registry.Watched{}
	}
	was := it.Watched
	if was.Key != w.key { // nothing was read under these rules, so there is nothing to compare
		was = registry.Watched{Key: w.key, Broken: was.Broken, Since: was.Since}
	}
	if why := w.lost(it, p); why != "" {
		if was.Broken == "" {
			was.Since, was.Empty, was.Long, was.Good = now, false, false, b.RawBefore
		}
		was.Broken, was.BrokenRaw = why, r.Raw
		return was
	}
	is := registry.Watched{Key: was.Key, States: change.StatesOf(was.States).Push(p.State).Bytes(), Letters: p.Letters}
	switch is.Empty = w.isEmpty(p); {
	case !is.Empty || was.Asked: // of what a person accepts, nothing more is said
	case was.Empty:
		is.Since, is.Long = was.Since, was.Long
	default:
		is.Since = now
	}
	return is
}

// isEmpty reports whether a part has nothing of what its rules name.
func (w *Watching) isEmpty(p *part.Part) bool {
	return p.Elements == 0 || p.List != nil && len(p.List.All) == 0 ||
		w.rules().Narrow() && strings.TrimSpace(p.Text) == ""
}

// stands records that the source answered with the stored content. If the part was broken in an answer that was not
// stored, it is no longer broken.
func stands(it registry.Item) registry.Item {
	if w := &it.Watched; w.Broken != "" && w.BrokenRaw != it.RawHash {
		w.Broken, w.BrokenRaw, w.Since = "", "", time.Time{}
	}
	return it
}

// The rules that silence a whole change. Other rules only make some lines of a change ignored.
const (
	silencedBroken  = "watchBroken: what is watched is not there"
	silencedPart    = "watch: what is watched is the same"
	silencedTrigger = "trigger: not found: "
)

// newsOf turns the news of a page into news of its watched part.
func (w *Watching) newsOf(it *registry.Item, r Reading, n News) News {
	p := r.Part
	if w == nil || p == nil || it.Watched.Key != w.key || n.Kind == change.New ||
		len(it.Watched.States) == 0 && it.Watched.Broken == "" { // nothing was known about the part before
		return n
	}
	switch {
	case w.lost(it, p) != "" || it.Watched.Asked || it.Watched.Broken != "" && w.present(it, p):
		n.Silenced = silencedBroken
	case w.present(it, p):
		if n.Kind.OfContent() || n.Kind == change.Reverted || w.rules().Narrow() ||
			n.Kind == change.Title && w.rules().Ignored(r.Doc.Title) != "" && w.rules().Ignored(it.Title) != "" {
			n.Silenced = silencedPart
		}
	default:
		n.Kind, n.Part = change.Content, true
		for _, s := range change.StatesOf(it.Watched.States) {
			if s == p.State && !it.Watched.Empty && !w.isEmpty(p) {
				n.Kind = change.Reverted
			}
		}
		n.Why, n.Extent = n.Kind.Why(change.Extent{}), change.Extent{}
		if !w.rules().Triggered(p.Text) {
			n.Silenced = silencedTrigger + w.rules().Trigger()
		}
	}
	if n.Kind == change.None {
		n.Silenced = ""
	}
	return n
}

// holds reports whether the part still exists. If it does, the page is believed, even if it has lost much other
// content (H9).
func (w *Watching) holds(it *registry.Item, p *part.Part) bool {
	return w != nil && p != nil && w.rules().Narrow() && w.lost(it, p) == ""
}

// keepsPart reports whether the index should keep the old part because the page no longer has one.
func (w *Watching) keepsPart(it *registry.Item, p *part.Part) bool {
	return w != nil && p != nil && w.index && it.Watched.Key == w.key && len(it.Watched.States) > 0 &&
		w.lost(it, p) != ""
}

// HasOtherRules reports whether the known part was read under rules other than the present ones.
func (w *Watching) HasOtherRules(it *registry.Item) bool {
	if w == nil {
		return it.Watched.Key != ""
	}
	return it.Watched.Key != w.key
}

// Unknown returns what the item's row records when the stored page cannot be read: there is no known part to compare
// with, unless the same rules have found it under an earlier version.
func (w *Watching) Unknown(it *registry.Item) (known registry.Watched) {
	if w == nil {
		return known
	}
	if known = w.renewed(it.Watched, it.NormalizationVersion); known.Key != w.key {
		return registry.Watched{Key: w.key}
	}
	return known
}

// Fields are the fields that are asked for of an item, with keys that identify their definitions.
type Fields struct {
	Specs []field.Spec
	keys  map[string]string
}

// fieldsOf returns the fields that the options of an item ask for.
func fieldsOf(set *api.Watch) (f Fields) {
	if set == nil || len(set.Fields) == 0 {
		return f
	}
	f.keys = map[string]string{}
	f.Specs, _ = field.Asked(set.Fields) // checked before it was stored
	for _, s := range f.Specs {
		f.keys[s.Name] = keyOf(s)
	}
	return f
}

// HaveOthers reports whether a field is asked for that was not read by its present definition, unless no field of the
// page can be read.
func (f Fields) HaveOthers(it *registry.Item) bool {
	return slices.ContainsFunc(f.Specs, func(s field.Spec) bool {
		known, ok := it.Fields.Field(s.Name)
		return !ok || known.Key != f.keys[s.Name] && known.State != field.Unread
	})
}

// keyOf returns a short text that is another for other rules.
func keyOf(rules ...any) string {
	text, _ := json.Marshal(rules) // strings always encode
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, xxhash.Sum64(text)))
}
