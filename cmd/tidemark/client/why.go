package client

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const whyLong = `Show how one source is watched, and what Tidemark decided about it, when and why,
newest last.

The last few dozen decisions are kept. Checks in a row that found nothing share a
line, which counts them. For older changes, see the captures in "tidemark show".`

func whyCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{
		Use:     "why ID|SOURCE",
		Short:   "Show what was decided about one source, and why",
		Long:    whyLong,
		Example: "  tidemark why https://example.com/news\n  tidemark why url_k7gxn3…",
		Args:    command.One("id or source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainItem(cmd.Context(), t, s, args[0])
		},
	}
}

func explainItem(ctx context.Context, t *terminal.Terminal, s *command.Server, id string) error {
	item, err := getItem(ctx, s, id)
	if err != nil {
		return err
	}
	now := t.Now()
	t.Say("%s  %s", terminal.Clean(string(item.Status)), nameOf(item.Item))
	sayWatch(ctx, t, s, item)
	if len(item.History) == 0 {
		t.Say("nothing was decided yet")
	}
	for _, d := range item.History {
		t.Say("%s  %14s  %s", terminal.Stamp(d.At), words.Relative(now, d.At), decisionText(d))
	}
	if item.NextCrawlAt.IsZero() {
		t.Say("%s", map[bool]string{true: "paused: no check until somebody asks for one",
			false: "no further check is planned"}[item.Paused])
		return nil
	}
	t.Say("%s  %14s  next check", terminal.Stamp(item.NextCrawlAt), words.Relative(now, item.NextCrawlAt))
	sayPause(ctx, t, s, item.SourceHost)
	return nil
}

// sayWatch says how a source is watched, whether its watch is broken, and until when its messages are muted.
func sayWatch(ctx context.Context, t *terminal.Terminal, s *command.Server, item api.ItemDetail) {
	if item.WatchBroken {
		t.Say("the watch is broken: %s", terminal.Clean(item.Why))
	}
	if text := unreadDataText(item.UnreadData); text != "" {
		t.Say("not read: %s", terminal.Clean(text))
	}
	for _, f := range settingFields(item) {
		if f.value != "" {
			t.Say("%s: %s", f.name, terminal.Clean(f.value))
		}
	}
	muted, err := api.ListMutes.Call(ctx, s.Silent(), api.MuteQuery{ItemID: item.ID})
	if err != nil {
		t.Note("mutes could not be read: %v", err)
	}
	for _, m := range muted.Mutes {
		t.Say("%s", muteText(m))
	}
}

// muteText describes a mute of a page.
func muteText(m api.Mute) string {
	text := "messages are muted"
	if m.Rule != "" {
		text = "messages of the rule " + terminal.Clean(m.Rule) + " are muted"
	}
	if m.Until.IsZero() {
		return text
	}
	return text + " until " + terminal.Stamp(m.Until)
}

// decisionText describes a decision with its reason in one line.
func decisionText(d api.Decision) string {
	text := terminal.Clean(d.What)
	if d.Why != "" {
		text += ": " + terminal.Clean(d.Why)
	}
	if d.IsShared() {
		text += fmt.Sprintf(", %s since %s", words.Count(d.Times, "time"), terminal.Stamp(d.Since))
	}
	return text
}
