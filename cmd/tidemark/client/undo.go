package client

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const undoHelp = `undo ID
Take back a change of settings, a rule, a mute, ignored lines, or what was read

Put back what a command has changed. The command says by which id, and until when;
the history of a page has it, too ("tidemark why PAGE"). What was changed since is not
overwritten: then nothing is taken back, and this command says what was changed.

  tidemark undo 006ae1b2c0-k7gxn3q2d5m4p`

func undoCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return asked(s, undoHelp, command.One("id"), api.UndoAction, func(done api.Undone) {
		t.Say("taken back: %s is as it was before", terminal.Clean(undone(done)))
	})
}

// undone names what an action was about.
func undone(u api.Undone) string {
	switch {
	case u.Item != nil:
		return nameOf(*u.Item)
	case u.Tag != nil:
		return "the tag " + u.Tag.Name
	case u.Rule != nil:
		return "the rule " + u.Rule.Name
	case u.Mute != nil:
		return "the mute of " + firstOf(u.Mute.Title, u.Mute.URL, u.Mute.ItemID)
	case u.Reader != nil:
		return "what you have read"
	case u.Run != nil:
		return "what the run changed, item by item (" + u.Run.ID + "),"
	}
	return "the " + u.Kind
}

// sayUndo says how an action is taken back, if it can be.
func sayUndo(t *terminal.Terminal, u *api.Undo) {
	if u == nil {
		return
	}
	until, now := u.Until.In(t.Now().Location()), t.Now()
	text := words.Stamp(u.Until)
	if until.Sub(now) < 24*time.Hour {
		text = until.Format("15:04")
	}
	t.Say("Undo: %s undo %s (until %s)", t.Name, terminal.Clean(u.ID), text)
}
