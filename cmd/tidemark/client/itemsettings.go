package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// settingFields returns the settings in force of an item, each with its origin unless that is the item itself.
// Defaults of the app are left out.
func settingFields(it api.ItemDetail) []field {
	all := []field{{"tags", strings.Join(it.Tags, ", ")}}
	if it.Paused {
		all = append(all, field{"paused", "checked only on request"})
	}
	if f := it.Files; f != nil {
		all = append(all, field{"only files", strings.Join(f.Include, ", ")},
			field{"leaves out", strings.Join(f.Exclude, ", ")})
		if f.Hidden {
			all = append(all, field{"hidden files", "are items, too"})
		}
	}
	if it.Effective == nil {
		return all
	}
	e := *it.Effective
	own := func(setting, value string) string {
		switch from := e.From[setting]; {
		case value == "" || from == "" || from == "default":
			return ""
		case from == "item":
			return value
		default:
			return value + " (" + from + ")"
		}
	}
	if w := e.Watch; w != nil {
		all = append(all,
			field{"watches", own("watch.include", strings.Join(w.Include, ", "))},
			field{"leaves out", own("watch.exclude", strings.Join(w.Exclude, ", "))},
			field{"ignores", own("watch.ignore", strings.Join(w.Ignore, ", "))},
			field{"only if", own("watch.trigger", w.Trigger)},
			field{"indexes", own("watch.index", w.Index)})
		for _, name := range slices.Sorted(maps.Keys(w.Fields)) {
			all = append(all, field{"reads", own("watch.fields."+name, api.FieldLine(name, w.Fields[name]))})
		}
	}
	all = append(all,
		field{"schedule", own("schedule", whenText(e.Schedule))},
		field{"check every", own("interval", bounds(e.Interval))},
		field{"active hours", own("activeHours", hoursText(e.ActiveHours))},
		field{"priority", own("priority", priorityText(e.Priority))})
	for _, f := range renderingTexts(e.Rendering) {
		all = append(all, field{renderingNames[f.name], own(f.name, f.value)})
	}
	return all
}

// whenText says when checks are due by a schedule.
func whenText(c *api.Schedule) string {
	if c == nil {
		return ""
	}
	return cmp.Or(c.Text, c.Cron) + " " + cmp.Or(c.Timezone, "UTC")
}

// bounds says how far apart checks are.
func bounds(i *api.Interval) string {
	switch {
	case i == nil || i.Min+i.Max == "":
		return ""
	case i.Min == i.Max:
		return i.Min
	default:
		return cmp.Or(i.Min, "?") + " to " + cmp.Or(i.Max, "?")
	}
}

func hoursText(a *api.ActiveHours) string {
	if a == nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.Trim(a.From+"-"+a.To, "-")+" "+strings.Join(a.Days, ",")+" "+
		cmp.Or(a.Timezone, "UTC")), " ")
}

func priorityText(p *int) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

// mostBroken limits how many broken watches a status lists.
const mostBroken = 20

// sayWatches reports the watches that are broken and the tags that have settings.
func sayWatches(ctx context.Context, t *terminal.Terminal, s *command.Server, host string) error {
	broken, more, err := s.Silent().BrokenWatches(ctx, host, mostBroken)
	if err != nil {
		return err
	}
	for i, it := range broken {
		if i == 0 {
			t.Say("\nbroken watches: %s", words.Thousands(len(broken)))
		}
		t.Say("  %s: %s", nameOf(it), terminal.Clean(it.Why))
	}
	if more {
		t.Say("  there may be more: `%s changes --kind watchBroken` lists all that broke", t.Name)
	}
	if host != "" {
		return nil
	}
	tags, err := api.ListTags.Call(ctx, s.Silent(), api.None{})
	if err != nil {
		return err
	}
	for i, tag := range tags.Tags {
		if i == 0 {
			t.Say("\ntags with settings:")
		}
		t.Say("  %s: %s", terminal.Clean(tag.Name), describe(tag.TagSettings))
	}
	return nil
}
