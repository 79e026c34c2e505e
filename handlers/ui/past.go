package ui

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// A pastOf says what a trial of a rule cannot know of the value that its condition is about. At most one of Unread,
// Unlisted and Since is set.
type pastOf struct {
	Name     string
	Unread   bool      // no such value of the page has been read
	Known    []string  // the values of the page that have been read
	Unlisted bool      // its changes are listed only while somebody asks for it
	Since    time.Time // it has been read since then
}

// tried is the time that a trial of a rule looks back.
const tried = 30 * 24 * time.Hour

// Past returns what the trial of this rule cannot know; nil if it knows all, or if the rule has no condition.
func (d ruleData) Past(now time.Time) *pastOf {
	p := &pastOf{Name: strings.TrimSpace(d.Form.Get("when.field"))}
	f, read := d.Page.Fields[p.Name]
	usual := field.Reported(p.Name)
	switch {
	case p.Name == "":
		return nil
	case d.Page.ID == "":
		p.Unlisted = !usual
	case !read && !d.Page.LastChecked.IsZero():
		p.Unread, p.Known = true, slices.Sorted(maps.Keys(d.Page.Fields))
	case read && !f.Asked && !usual:
		p.Unlisted = true
	case f.First != nil && now.Sub(f.First.At) < tried:
		p.Since = f.First.At
	}
	if !p.Unread && !p.Unlisted && p.Since.IsZero() {
		return nil
	}
	return p
}
