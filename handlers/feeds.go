package handlers

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// feedTitle is the title of the feeds.
const feedTitle = "Tidemark: what has changed"

// latest reads the newest changes that pass the filter in a feed's request.
func (h *changeHandlers) latest(r *http.Request, feed *api.Endpoint) ([]api.FeedChange, error) {
	q, err := wire.Decode[api.FeedQuery](r, feed)
	if err != nil {
		return nil, err
	}
	page, err := h.filtered(r.Context(), api.ChangeQuery{Top: q.Top}, api.ChangeFilter{Host: q.Host, Tag: q.Tag,
		Type: q.Type, Kind: q.Kind, Zone: q.Zone, Small: q.Small, MinShare: q.MinShare, Q: q.Q})
	return page.Changes, err
}

// addresses returns the address of a feed, including its filter, and the address of the dashboard
// page that lists changes. The feed's address omits the reader's key, because people share the
// addresses of feeds.
func addresses(r *http.Request, feed *api.Endpoint) (self, home string) {
	at := wire.Address(r)
	home = at.JoinPath("..", "ui/").String()
	at.RawQuery = wire.WithoutKey(r, feed).URL.RawQuery
	return at.String(), home
}

// linksTo returns a function that makes the links of a change to the dashboard. They are at the
// address that an administrator has given, or else at the address by which the reader asked for
// this feed, as the feed's own link.
func linksTo(r *http.Request, n *notify.Notifier) (func(api.FeedChange) letter.Links, error) {
	at, err := n.PublicAddress(r.Context())
	if at.URL == "" {
		own := wire.Address(r)
		at.URL = own.Scheme + "://" + own.Host + wire.Prefix(r.Context())
	}
	return func(c api.FeedChange) letter.Links { return notify.LinksAt(at.URL, c) }, err
}

// changesAtom answers with the newest changes as Atom 1.0 (RFC 4287).
func (h *changeHandlers) changesAtom(r *http.Request) (int, any, error) {
	all, err := h.latest(r, api.ChangesAtom.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	to, err := linksTo(r, h.Notify)
	if err != nil {
		return 0, nil, err
	}
	body, err := xml.MarshalIndent(atomOf(r, all, to), "", " ")
	if err != nil {
		return 0, nil, err
	}
	body = append([]byte(xml.Header), body...)
	return http.StatusOK, wire.Content{Body: body, MediaType: "application/atom+xml; charset=utf-8", For: r}, nil
}

// changesJSONFeed answers with the newest changes as JSON Feed 1.1.
func (h *changeHandlers) changesJSONFeed(r *http.Request) (int, any, error) {
	all, err := h.latest(r, api.ChangesJSON.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	to, err := linksTo(r, h.Notify)
	if err != nil {
		return 0, nil, err
	}
	self, home := addresses(r, api.ChangesJSON.Endpoint)
	out := api.JSONFeed{Version: "https://jsonfeed.org/version/1.1", Title: feedTitle, HomePageURL: home, FeedURL: self,
		Items: []api.JSONFeedItem{}}
	for _, c := range all {
		out.Items = append(out.Items, api.JSONFeedItem{
			ID: entryURI(c), URL: c.URL, Title: letter.Subject(c), ContentText: letter.Summary(c),
			ContentHTML:   letter.ContentHTML(c, to(c)),
			DatePublished: c.At.UTC().Format(time.RFC3339), Tags: []string{string(c.Kind)},
		})
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	err = e.Encode(out)
	return http.StatusOK, wire.Content{Body: body.Bytes(), MediaType: "application/feed+json; charset=utf-8", For: r}, err
}

// atomFeed is the document of RFC 4287 section 4.1.1.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  atomAuthor  `xml:"author"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Links    []atomLink   `xml:"link"`
	Category atomCategory `xml:"category"`
	Content  atomContent  `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"` // empty means alternate
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func atomOf(r *http.Request, all []api.FeedChange, to func(api.FeedChange) letter.Links) atomFeed {
	self, home := addresses(r, api.ChangesAtom.Endpoint)
	f := atomFeed{ID: "urn:tidemark:changes", Title: feedTitle, Author: atomAuthor{"Tidemark"},
		Links:   []atomLink{{Rel: "self", Href: self}, {Href: home}},
		Updated: time.Unix(0, 0).UTC().Format(time.RFC3339)}
	for i, c := range all {
		e := atomEntry{ID: entryURI(c), Title: letter.Subject(c), Updated: c.At.UTC().Format(time.RFC3339),
			Category: atomCategory{string(c.Kind)}, Content: atomContent{"html", letter.ContentHTML(c, to(c))}}
		if strings.HasPrefix(c.URL, "http://") || strings.HasPrefix(c.URL, "https://") {
			e.Links = append(e.Links, atomLink{Href: c.URL})
		}
		e.Links = append(e.Links, atomLink{Rel: "related", Href: to(c).Difference})
		if i == 0 {
			f.Updated = e.Updated
		}
		f.Entries = append(f.Entries, e)
	}
	return f
}

// entryURI returns the id of a change in feeds. The id does not depend on the address of the feed (RFC 4287 section
// 4.2.6).
func entryURI(c api.FeedChange) string {
	return fmt.Sprintf("urn:tidemark:change:%s:%s%s", c.ID, c.ItemID, c.EntryID)
}
