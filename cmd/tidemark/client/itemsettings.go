package client

import (
	"context"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

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
