package written

import (
	"context"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// kind says which events an entry stands for, besides those of its keys.
type kind string

const (
	some     kind = ""         // only those of its keys
	all      kind = "all"      // every chunk is put, because a value changed that goes with each
	replaced kind = "replaced" // the page is deleted and then put as a whole, because followers may have missed something
	whole    kind = "whole"    // the page was removed
)

// entry is what the log says of a page: only keys, no texts.
type entry struct {
	Page string   `json:"page"`
	Kind kind     `json:"kind,omitempty"`
	Put  []string `json:"put,omitempty"`
	Gone []string `json:"gone,omitempty"`
	// Hashes are those of the host and the tags that the page has since; none if they are not known.
	Hashes []string `json:"hashes,omitempty"`
}

func hashOf(what, value string) string {
	return strconv.FormatUint(xxhash.Sum64String(what+" "+value)>>32, 36)
}

func hashesOf(p search.Page) []string {
	hashes := []string{hashOf("host", p.Host)}
	for _, tag := range p.Tags {
		hashes = append(hashes, hashOf("tag", tag))
	}
	return hashes
}

// matched reports whether the page may have matched a query once it was written. If it did not, then either it does not
// now, or a later entry puts all of it.
func (e entry) matched(q search.FollowQuery) bool {
	return len(e.Hashes) == 0 || (q.Host == "" || slices.Contains(e.Hashes, hashOf("host", q.Host))) &&
		(q.Tag == "" || slices.Contains(e.Hashes, hashOf("tag", q.Tag)))
}

// maxKeys limits the bytes of an entry's keys. A page with more of them is logged as replaced.
const maxKeys = 128 << 10

func (e entry) bytes() (n int) {
	n = len(e.Page) + 64
	for _, keys := range [][]string{e.Put, e.Gone, e.Hashes} {
		for _, key := range keys {
			n += len(key) + 3
		}
	}
	return n
}

// bounded returns an entry with the same meaning whose keys are not too large.
func (e entry) bounded() *entry {
	slices.Sort(e.Put)
	slices.Sort(e.Gone)
	if e.bytes() > maxKeys {
		e = entry{Page: e.Page, Kind: replaced, Hashes: e.Hashes}
	}
	return &e
}

// change is what has to be stored of a page that differs.
type change struct {
	page  string
	ops   []storage.Op
	entry *entry // nil if followers need not know
	// exact returns the change again from what is stored, if the operations do not fit it.
	exact func(context.Context) (change, error)
}

// differences returns the change of a page from what its caller knows. It reports false if that is nothing.
func differences(p search.Page) (change, bool) {
	if p.Known == nil {
		return change{}, false
	}
	want, known := p.Contents(), p.Known
	e := entry{Page: p.ID, Hashes: hashesOf(p)}
	if known.Fields != want.Fields || known.Tags != want.Tags {
		e.Kind = all
	}
	uids, anchors := based(known.Chunks), based(known.Anchors)
	page := storage.Op{Kind: storage.Replace, Entity: storage.Entity{Key: pageKey(p.ID), ETag: storage.AnyETag,
		Props: pageRows.Encode(&pageRow{keptPageOf(p)})}}
	if known.Fields == "" { // the index had nothing of the page
		page.Kind, page.Entity.ETag = storage.Upsert, ""
	}
	c := change{page: p.ID, ops: []storage.Op{page}}
	for _, chunk := range p.Chunks {
		key := search.BaseKey(chunk.Key)
		if uid, there := uids[key]; !there || uid != chunk.UID || anchors[key] != chunk.Anchor {
			c.ops, e.Put = append(c.ops, putOp(p.ID, key, keptChunkOf(chunk))), append(e.Put, key)
		}
		delete(uids, key)
	}
	for key := range uids {
		e.Gone = append(e.Gone, key)
		c.ops = append(c.ops, storage.DeleteOp(chunkKey(p.ID, key), storage.AnyETag))
	}
	if e.Kind == some && len(c.ops) == 1 {
		return change{page: p.ID}, true
	}
	c.entry = e.bounded()
	return c, true
}

// based returns values by the base keys of chunks.
func based(by map[string]string) map[string]string {
	out := make(map[string]string, len(by))
	for key, value := range by {
		out[search.BaseKey(key)] = value
	}
	return out
}

func putOp(page, key string, c keptChunk) storage.Op {
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: chunkKey(page, key),
		Props: chunkRows.Encode(&chunkRow{c})}}
}

// replacing returns the change that leaves exactly p of what is stored. If it is doubted that followers know of all
// that is stored, they get the whole page.
func replacing(have stored, p search.Page, doubted bool) change {
	want := keptPageOf(p)
	e := entry{Page: p.ID, Hashes: hashesOf(p)}
	c := change{page: p.ID}
	if !have.there || !have.page.same(want) {
		c.ops = append(c.ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: pageKey(p.ID),
			Props: pageRows.Encode(&pageRow{want})}})
	}
	if !have.there || have.page.shown() != want.shown() {
		e.Kind = all
	}
	stays := map[string]bool{}
	for _, chunk := range p.Chunks {
		key, kept := search.BaseKey(chunk.Key), keptChunkOf(chunk)
		stays[key] = true
		was, there := have.chunks[key]
		if !there || string(row.JSON(was)) != string(row.JSON(kept)) {
			c.ops, e.Put = append(c.ops, putOp(p.ID, key, kept)), append(e.Put, key)
		}
	}
	for _, key := range have.keys {
		if !stays[key] {
			e.Gone = append(e.Gone, key)
			c.ops = append(c.ops, storage.DeleteOp(chunkKey(p.ID, key), storage.AnyETag))
		}
	}
	if doubted {
		e = entry{Page: p.ID, Kind: replaced, Hashes: e.Hashes}
	}
	if e.Kind != some || len(e.Put)+len(e.Gone) > 0 {
		c.entry = e.bounded()
	}
	return c
}

// events returns what a follower of pages that match has to be told, given what is stored of the page now. Positions
// order the events of an entry.
func (e entry) events(now stored, matches func(keptPage) bool, from position) (out []event) {
	shows := now.there && e.Kind != whole
	if e.Kind == whole || e.Kind == replaced || e.Kind == all && !(shows && matches(now.page)) {
		out = append(out, event{itemGone, search.OpDeletePage, ""})
	}
	if !shows || !matches(now.page) {
		return from.rest(out)
	}
	for _, key := range e.Gone {
		if _, back := now.chunks[key]; !back && e.Kind != replaced {
			out = append(out, event{position("d" + key), search.OpDelete, key})
		}
	}
	put := e.Put
	if e.Kind != some {
		put = now.keys
	}
	for _, key := range put {
		if _, there := now.chunks[key]; there {
			out = append(out, event{position("p" + key), search.OpPut, key})
		}
	}
	return from.rest(out)
}

// event is an event of an entry: of the page, or of a chunk.
type event struct {
	at  position
	op  search.Op
	key string
}

// position orders the events of an entry: first that the page is gone, then deletions by their keys, then
// chunks by theirs.
type position string

const (
	itemGone position = "a"
	entryEnd position = "z"
)

// rest returns the events after a position.
func (p position) rest(events []event) []event {
	at := slices.IndexFunc(events, func(e event) bool { return e.at > p })
	if at < 0 {
		return nil
	}
	return events[at:]
}
