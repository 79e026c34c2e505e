package discover

import (
	"encoding/json"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// feedItem is an entry of a JSON Feed. Its id is a string, but in older feeds it is a number.
type feedItem struct {
	ID        any    `json:"id"`
	URL       string `json:"url"`
	Published string `json:"date_published"`
	Modified  string `json:"date_modified"`
}

// readJSON reads a JSON Feed (jsonfeed.org, versions 1 and 1.1), one item at a time.
func readJSON(t *text, base string, o Bounds) (Found, error) {
	c := newCollector(JSONFeed, base, o.MaxLinks)
	version, err := c.readFeed(json.NewDecoder(t))
	if !strings.Contains(version, "jsonfeed.org/version/") {
		return Found{}, fault.New(fault.Invalid, "the document begins like JSON, but is no JSON Feed that can be read")
	}
	if err != nil {
		c.stop("the JSON is damaged or ends too early")
	}
	return c.Found, nil
}

// readFeed reads the members of the outermost object.
func (c *collector) readFeed(dec *json.Decoder) (version string, err error) {
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	for dec.More() && c.Truncated == "" {
		name, err := dec.Token()
		if err != nil {
			return version, err
		}
		switch name {
		case "version":
			err = dec.Decode(&version)
		case "next_url":
			var next string
			if err = dec.Decode(&next); next != "" {
				c.follow(next)
			}
		case "items":
			err = c.readItems(dec)
		default:
			var other json.RawMessage
			err = dec.Decode(&other)
		}
		if err != nil {
			return version, err
		}
	}
	return version, nil
}

// readItems reads the array of entries.
func (c *collector) readItems(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() && c.Truncated == "" {
		var item feedItem
		if err := dec.Decode(&item); err != nil {
			return err
		}
		c.item(item)
	}
	_, err := dec.Token()
	return err
}

// item adds an entry. If the entry has no address, its id is used, provided that the id is an address.
func (c *collector) item(item feedItem) {
	e := entry{loc: item.URL, changed: item.Modified, published: item.Published}
	if id, isText := item.ID.(string); e.loc == "" && isText && isWeb(id) {
		e.loc = id
	}
	if e.loc == "" {
		c.skip("an entry has no address")
		return
	}
	mod, span := e.time()
	c.page(e.loc, mod, span)
}
