package item

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Settings are what a person changes of an item. What they do not name stays.
type Settings struct {
	Tags    []string // all of them, as [options.Tags] gives them; nil leaves those that there are
	Add     string   // a tag that the item has from now on
	Drop    string   // a tag that it has no longer
	Options options.Edit
	Paused  *bool
	// Replan has the next check planned anew also if nothing of the item changes, because what a tag sets has changed.
	Replan bool
}

// Zero reports whether nothing is changed.
func (s Settings) Zero() bool { return reflect.ValueOf(s).IsZero() }

// Apply changes an item, and says what has changed; nothing if nothing has.
func (s Settings) Apply(it *Item) string {
	var said []string
	tags := it.Tags
	if s.Tags != nil {
		tags = s.Tags
	}
	if s.Add != "" && !slices.Contains(tags, s.Add) && len(tags) < options.MaxTags {
		tags = append(slices.Clone(tags), s.Add)
		slices.Sort(tags)
	}
	if s.Drop != "" {
		tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return tag == s.Drop })
	}
	if !slices.Equal(tags, it.Tags) {
		it.Tags = tags
		said = append(said, "tags: "+strings.Join(tags, ", "))
	}
	if o := s.Options.Apply(it.Options); !reflect.DeepEqual(o, it.Options) {
		it.Options = o
		said = append(said, "options of its own: "+set(o))
	}
	if s.Paused != nil && *s.Paused != it.Paused {
		if it.Paused = *s.Paused; it.Paused {
			said = append(said, "paused")
		} else {
			said = append(said, "resumed")
		}
	}
	return strings.Join(said, "; ")
}

// set names what options set.
func set(o options.Options) string {
	own := options.Merge(o, nil).From
	var names []string
	for _, field := range options.Fields {
		if _, ok := own[field]; ok {
			names = append(names, field)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
