package client

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const memoryHelp = `memory ID|SOURCE
List what moves on a page, or decide whether it is told

List the parts of a page that move, each with its id: how often they have moved,
and whether their moves are told. With --always or --never, a person decides about
one part. --forget takes such a decision back; without one, the part is learnt anew,
and its first moves are told again.

  tidemark memory https://example.com/news
  tidemark memory https://example.com/news --never 1kq9x2`

func memoryCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var always, never, forget string
	cmd := command.New(memoryHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		var q api.MemoryRequest
		for _, of := range []struct{ id, do string }{{always, "always"}, {never, "never"}, {forget, "forget"}} {
			switch {
			case of.id == "":
			case q.ID != "":
				return command.Usagef("give one of --always, --never and --forget")
			default:
				q.ID, q.Do = of.id, of.do
			}
		}
		m, err := onItem(ctx, s, args[0], func(id string) (api.Memory, error) {
			if q.ID == "" {
				return api.GetMemory.Call(ctx, s.Client(), api.ItemID{ID: id})
			}
			q.Item = id
			return api.DecideMemory.Call(ctx, s.Client(), q)
		})
		if err == nil {
			showMemory(t, m)
		}
		return err
	})
	f := cmd.Flags()
	f.StringVar(&always, "always", "", "tell each move of this `PART`")
	f.StringVar(&never, "never", "", "tell no move of this `PART`")
	f.StringVar(&forget, "forget", "", "take back the decision about this `PART`, or learn it anew")
	return cmd
}

func showMemory(t *terminal.Terminal, m api.Memory) {
	t.SayWhen(len(m.Parts) == 0, "nothing is known to move on this page")
	for _, p := range m.Parts {
		t.Say("%-14s  %s\n%16s%s%s", terminal.Clean(p.ID), terminal.Clean(p.Text), "", terminal.Clean(p.Words()),
			terminal.When(p.Silent && p.Decision == "", " since %s", words.Stamp(p.Since)))
	}
}
