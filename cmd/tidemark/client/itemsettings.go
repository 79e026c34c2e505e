package client

import (
	"context"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// settingFields returns the settings in force of an item, each with its origin unless that is the item itself.
// Defaults of the app are left out.
func settingFields(it api.ItemDetail) (all []field) {
	add := func(f form.Fact, from string) {
		switch from {
		case "default":
			return
		case "item":
		default:
			f.Value += " (" + from + ")"
		}
		all = append(all, field{f.Lowered(), f.Value})
	}
	own := api.ItemSettings{Tags: it.Tags, Settings: api.Settings{Files: it.Files}}
	if it.Paused {
		own.Paused = &it.Paused
	}
	for _, f := range form.Facts(own) {
		add(f, "item")
	}
	if it.Effective == nil {
		return all
	}
	for _, f := range form.Facts(it.Effective.TagSettings) {
		add(f, it.Effective.From[f.Path])
	}
	return all
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
		t.Say("  %s: %s", terminal.Clean(tag.Name), inWords(tag.TagSettings))
	}
	return nil
}
