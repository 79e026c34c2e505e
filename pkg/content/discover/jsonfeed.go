package discover

import (
	"encoding/json"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// feedItem is an entry of a JSON Feed. Members of another type than the standard gives are ignored: in older feeds, for
// example, the id is a number.
type feedItem struct {
	ID        lenient `json:"id"`
	URL       lenient `json:"url"`
	Published lenient `json:"date_published"`
	Modified  lenient `json:"date_modified"`
}

// lenient is a string. A value of another type is read as "".
type lenient string

// UnmarshalJSON never fails.
func (l *lenient) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*l = lenient(s)
	}
	return nil
}

// readJSON reads a JSON Feed (jsonfeed.org, versions 1 and 1.1), one item at a time.
func readJSON(t *text, base string, o Bounds) (Found, error) {
	c := newCollector(jsonKind, base, o.MaxLinks)
	version, err := c.readFeed(json.NewDecoder(t))
	if !strings.Contains(version, "jsonfeed.org/version/") {
		return Found{}, fault.New(fault.Invalid, "the document begins like JSON, but is not a readable JSON Feed")
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
	listed := false
	for dec.More() && c.Truncated == "" {
		token, err := dec.Token()
		if err != nil {
			return version, err
		}
		name, _ := token.(string)
		switch strings.ToLower(name) {
		case "version":
			err = dec.Decode((*lenient)(&version))
		case "next_url":
			var next lenient
			if err = dec.Decode(&next); next != "" {
				c.follow(string(next))
			}
		case "items":
			listed = true
			err = c.readItems(dec)
		default:
			var other json.RawMessage
			err = dec.Decode(&other)
		}
		if err != nil {
			return version, err
		}
	}
	if !listed && c.Truncated == "" {
		c.Entries++
		c.skip("the feed has no items")
	}
	return version, nil
}

// readItems reads the array of entries. An object with an entry for each member is read as a list of these.
func (c *collector) readItems(dec *json.Decoder) error {
	begin, err := dec.Token()
	if err != nil {
		return err
	}
	if begin == nil { // null
		return nil
	}
	if begin != json.Delim('[') && begin != json.Delim('{') {
		c.Entries++
		c.skip("items is not a list")
		return nil
	}
	for dec.More() && c.Truncated == "" {
		if begin == json.Delim('{') {
			if _, err := dec.Token(); err != nil {
				return err
			}
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		var item feedItem
		c.Entries++
		if json.Unmarshal(raw, &item) != nil {
			c.skip("no object")
			continue
		}
		c.item(item)
	}
	_, err = dec.Token()
	return err
}

// item adds an entry. If the entry has no address, its id is used, provided that the id is an address.
func (c *collector) item(item feedItem) {
	e := entry{loc: string(item.URL), guid: string(item.ID), changed: string(item.Modified),
		published: string(item.Published)}
	ref := e.address()
	if ref == "" {
		c.skip("no address")
		return
	}
	mod, span := e.time()
	c.page(ref, mod, span)
}
