package frame

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// Shown is what every template has.
type Shown struct {
	Title    string
	Path     string // of this page, below [Root]
	Now      time.Time
	TestMode bool
	Flash    string // what the last action did
	Data     any
	Visitor
}

// Link is a path below [Root] with parameters in pairs, empty ones left out.
func (s Shown) Link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return Address(Root+path, q)
}

// On reports whether this page is part of a section, for the navigation.
func (s Shown) On(section string) bool {
	return s.Path == section || section != "/" && strings.HasPrefix(s.Path, section+"/")
}

// Raw is the address of a capture's bytes, which a browser saves and does not show.
func (s Shown) Raw(id, digest string) string {
	return s.Link("/items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), "raw", "true")
}

// Found is the page about a search result.
func (s Shown) Found(r api.SearchResult) string {
	if r.Type == api.TypeEntry {
		return s.Entry(r.ID)
	}
	return s.Link("/items/" + url.PathEscape(r.ID))
}

// About is the page about what has changed.
func (s Shown) About(c api.FeedChange) string {
	if c.EntryID != "" {
		return s.Entry(c.EntryID)
	}
	return s.Link("/items/" + url.PathEscape(c.ItemID))
}

// Earlier is this list, from a place on.
func (s Shown) Earlier(q url.Values, after string) string {
	q = maps.Clone(q)
	q.Set("after", after)
	q.Del("done")
	return Address(Root+s.Path, q)
}

// Entry is the page of an entry, whose id may be anything that somebody sent.
func (s Shown) Entry(id string) string { return s.Link("/entries/" + url.PathEscape(id)) }

// Tag is the page of a tag.
func (s Shown) Tag(name string) string { return s.Link("/tags/" + url.PathEscape(name)) }

// Finding is the page about what an audit found.
func (s Shown) Finding(f api.Finding) string {
	if strings.HasPrefix(f.ID, "entry_") {
		return s.Entry(f.ID)
	}
	return s.Link("/items/" + url.PathEscape(f.ID))
}

// hunks are the places where two versions differ, as a part of a page.
type hunks struct {
	api.Diff
	Page     Shown
	ID, Part string
}

// Hunks are the places where two versions of an item differ.
func (s Shown) Hunks(id string, d api.Diff, part string) any { return hunks{d, s, id, part} }

// versions lets a person choose two versions.
type versions struct {
	Page               Shown
	ID, From, To, Part string
	Captures           []api.Capture
}

// Versions lets a person choose two versions of an item.
func (s Shown) Versions(id string, all []api.Capture, from, to, part string) any {
	return versions{s, id, from, to, part, all}
}
