package registry

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Settings are a person's changes to an item. Fields that are not set change nothing.
type Settings struct {
	Tags   []string  // the complete list of tags, as [options.Tags] returns it; if nil, the item keeps its tags
	Add    string    // a tag to add
	Drop   string    // a tag to remove
	Patch  api.Patch // changes of the options
	Paused *bool
	// Replan causes the next check to be planned again, even if the item does not change. It is set when the options
	// of a tag have changed.
	Replan bool
}

// Zero reports whether the settings change nothing.
func (s Settings) Zero() bool { return reflect.ValueOf(s).IsZero() }

// apply changes an item and returns a description of the changes; "" if nothing has changed. Errors: Invalid if the
// options would not be valid; the item is then as it was.
func (s Settings) apply(it *Item) (string, error) {
	var said []string
	o, gone, err := PatchOptions(it.Options, s.Patch)
	if err != nil {
		return "", err
	}
	if tags := s.tags(it.Tags); !slices.Equal(tags, it.Tags) {
		it.Tags = tags
		said = append(said, "tags: "+strings.Join(tags, ", "))
	}
	if !reflect.DeepEqual(o, it.Options) {
		it.Options, it.Replaced = o, gone
		said = append(said, "options of its own: "+set(o))
	}
	if s.Paused != nil && *s.Paused != it.Paused {
		if it.Paused = *s.Paused; it.Paused {
			said = append(said, "paused")
		} else {
			said = append(said, "resumed")
		}
	}
	return strings.Join(said, "; "), nil
}

// PatchOptions returns options after a change, and those that it removed in place of others, as [options.Patch] does.
// It also checks how the fields of a page are read. Errors: Invalid.
func PatchOptions(o api.Settings, p api.Patch) (out api.Settings, gone []string, err error) {
	if out, gone, err = options.Patch(o, p); err == nil && len(p) > 0 {
		out, err = CheckOptions(out)
	}
	return out, gone, err
}

// CheckOptions returns options in their stored form. Errors: Invalid, as [options.Validate], or for a field of a page
// that cannot be read so.
func CheckOptions(o api.Settings) (api.Settings, error) {
	o, err := options.Validate(o)
	if err == nil && o.Watch != nil {
		_, err = field.Asked(o.Watch.Fields)
	}
	return o, err
}

// tags returns the tags that an item has afterwards.
func (s Settings) tags(tags []string) []string {
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
	return tags
}

// set returns the names of the options that are set.
func set(o api.Settings) string {
	var names []string
	for _, f := range form.Facts(o) {
		names = append(names, f.Path)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
