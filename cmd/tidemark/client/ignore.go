package client

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// refineFlags are the flags that change what is watched on a source that was already added.
type refineFlags struct {
	text                  string
	preview, undo, accept bool
}

func (r *refineFlags) add(f *pflag.FlagSet) {
	f.StringVar(&r.text, "ignore-text", "", "ignore `LINES` like this one, with any numbers in it")
	f.BoolVar(&r.preview, "preview", false, "only show what --ignore or --ignore-text would have silenced")
	f.BoolVar(&r.undo, "undo", false, "undo the last --ignore, or the one given: its lines count again")
	f.BoolVar(&r.accept, "accept", false, "accept the page as it is now, which ends a broken watch")
}

// meant reports whether the user wants to change which lines of one known source count.
func (r *refineFlags) meant(args []string, p api.Patch) bool {
	_, ignores := p.Get("watch", "ignore")
	return *r != (refineFlags{}) || len(args) == 1 && isID.MatchString(args[0]) && (ignores || len(p) == 0)
}

func (r *refineFlags) run(t *terminal.Terminal, s *command.Server, cmd *cobra.Command, args []string,
	p api.Patch) error {
	if len(args) != 1 {
		return command.Usagef("give one id or URL, not %d", len(args))
	}
	asked, _ := p.Get("watch", "ignore")
	patterns, _ := asked.([]string)
	var other []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains([]string{"ignore", "ignore-text", "preview", "undo", "accept"}, f.Name) {
			other = append(other, "--"+f.Name)
		}
	})
	given := len(patterns)
	if r.text != "" {
		given++
	}
	switch {
	case len(other) > 0:
		return command.Usagef("%s is of URLs that are registered: give it on its own", strings.Join(other, ", "))
	case r.accept && (r.preview || r.undo || given > 0):
		return command.Usagef("--accept goes with nothing else")
	case r.undo && (r.preview || r.text != "" || given > 1):
		return command.Usagef("--undo goes with nothing but one --ignore")
	case !r.accept && !r.undo && given != 1:
		return command.Usagef("give one --ignore or --ignore-text, --undo, or --accept")
	}
	if r.accept {
		it, err := atItem(cmd.Context(), s, s.Client(), args[0], api.AcceptWatch)
		t.SayWhen(err == nil, "%s: what is watched is right as it is now; it is checked again", it.ID)
		return err
	}
	q := api.IgnoreRequest{Text: r.text, Pattern: strings.Join(patterns, ""), Preview: r.preview, Undo: r.undo}
	out, err := onItem(cmd.Context(), s, args[0], func(id string) (api.IgnoreResult, error) {
		q.ID = id
		return api.IgnoreLines.Call(cmd.Context(), s.Client(), q)
	})
	if err == nil {
		showIgnored(t, q, out)
	}
	return err
}

func showIgnored(t *terminal.Terminal, q api.IgnoreRequest, out api.IgnoreResult) {
	rules := terminal.Clean(strings.Join(out.Rules, "  "))
	if q.Undo {
		t.Say("lines with this count again: %s", rules)
		return
	}
	whole := 0
	for _, s := range out.Silenced {
		if s.Whole {
			whole++
		}
		if !q.Preview {
			continue
		}
		t.Say("%s", terminal.Stamp(s.At))
		for _, l := range s.Lines {
			showLine(t, l.Op, []api.DiffPiece{{Text: l.Hunk}}, "")
		}
	}
	t.Say("of the last %s, %d would have had such lines, and nobody would have been told of %d",
		words.Count(out.Changes, "change"), len(out.Silenced), whole)
	t.SayWhen(q.Preview, "nothing is kept; without --preview, lines with this do not count: %s", rules)
	t.SayWhen(!q.Preview, "lines with this do not count any more: %s\n"+
		"`%s watch %s --undo` has them count again", rules, t.Name, q.ID)
}
