package client

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const whyHelp = `why ID|SOURCE
Show what was decided about one source, and why

Show how one source is watched, and what Tidemark decided about it, when and why,
newest last.

The last few dozen decisions are kept. Checks in a row that found nothing share a
line, which counts them. For older changes, see the captures in "tidemark show".

  tidemark why https://example.com/news
  tidemark why url_k7gxn3…`

func whyCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(whyHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		item, err := getItem(ctx, s, args[0])
		if err == nil {
			explainItem(ctx, t, s, item)
		}
		return err
	})
}

func explainItem(ctx context.Context, t *terminal.Terminal, s *command.Server, item api.ItemDetail) {
	now := t.Now()
	t.Say("%s  %s", terminal.Clean(string(item.Status)), nameOf(item.Item))
	sayWatch(ctx, t, s, item)
	t.SayWhen(len(item.History) == 0, "nothing was decided yet")
	for _, d := range item.History {
		t.Say("%s  %14s  %s", words.Stamp(d.At), words.Relative(now, d.At), decisionText(d))
	}
	switch next := item.NextCrawlAt; {
	case !next.IsZero():
		t.Say("%s  %14s  next check", words.Stamp(next), words.Relative(now, next))
		sayPause(ctx, t, s, item.SourceHost)
	case item.Paused:
		t.Say("paused: no check until somebody asks for one")
	default:
		t.Say("no further check is planned")
	}
}

// sayWatch says how a source is watched, whether its watch is broken, and until when its messages are muted.
func sayWatch(ctx context.Context, t *terminal.Terminal, s *command.Server, item api.ItemDetail) {
	t.SayWhen(item.WatchBroken, "the watch is broken: %s", terminal.Clean(item.Why))
	facts := slices.DeleteFunc(form.OfItem(item), func(f form.Fact) bool { return f.From == "" && f.Path != "unreadData" })
	for _, f := range factFields(t.Now(), facts) {
		t.Say("%s: %s", f.name, terminal.Clean(f.value))
	}
	muted, err := api.ListMutes.Call(ctx, s.Silent(), api.MuteQuery{ItemID: item.ID})
	t.NoteWhen(err != nil, "mutes could not be read: %v", err)
	for _, m := range muted.Mutes {
		t.Say("%s", muteText(m))
	}
}

// muteText describes a mute of a page.
func muteText(m api.Mute) string {
	return "messages" + terminal.When(m.Rule != "", " of the rule %s", terminal.Clean(m.Rule)) + " are muted" +
		terminal.When(!m.Until.IsZero(), " until %s", words.Stamp(m.Until))
}

// decisionText describes a decision with its reason in one line.
func decisionText(d api.Decision) string {
	return terminal.Clean(d.What) + terminal.When(d.Why != "", ": %s", terminal.Clean(d.Why)) +
		terminal.When(d.IsShared(), ", %s since %s", words.Count(d.Times, "time"), words.Stamp(d.Since))
}
