package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// refineFlags refine what is watched of one source that is known.
type refineFlags struct {
	text                  string
	preview, undo, accept bool
}

func (r *refineFlags) add(f *pflag.FlagSet) {
	f.StringVar(&r.text, "ignore-text", "", "ignore `LINES` like this one, whatever numbers stand in it")
	f.BoolVar(&r.preview, "preview", false, "only show what --ignore or --ignore-text would have silenced")
	f.BoolVar(&r.undo, "undo", false, "have the lines of the last --ignore, or of the one given, count again")
	f.BoolVar(&r.accept, "accept", false, "what is watched is right as it is now: end a broken watch")
}

// meant says that one source is refined, and none registered.
func (r *refineFlags) meant(args []string) bool {
	return *r != (refineFlags{}) || len(args) == 1 && isID.MatchString(args[0])
}

func (r *refineFlags) run(p *program, cmd *cobra.Command, args, patterns []string) error {
	if len(args) != 1 {
		return usagef("give one id or URL, not %d", len(args))
	}
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
		return usagef("%s is of URLs that are registered: give it on its own", strings.Join(other, ", "))
	case r.accept && (r.preview || r.undo || given > 0):
		return usagef("--accept goes with nothing else")
	case r.undo && (r.preview || r.text != "" || given > 1):
		return usagef("--undo goes with nothing but one --ignore")
	case !r.accept && !r.undo && given != 1:
		return usagef("give one --ignore or --ignore-text, --undo, or --accept")
	}
	if r.accept {
		it, err := onItem(p, args[0], func(id string) (api.Item, error) {
			return api.AcceptWatch.Call(cmd.Context(), p.client(), api.ItemID{ID: id})
		})
		if err == nil {
			p.say("%s: what is watched is right as it is now; it is checked again", it.ID)
		}
		return err
	}
	q := api.IgnoreRequest{Text: r.text, Pattern: strings.Join(patterns, ""), Preview: r.preview, Undo: r.undo}
	out, err := onItem(p, args[0], func(id string) (api.IgnoreResult, error) {
		q.ID = id
		return api.IgnoreLines.Call(cmd.Context(), p.client(), q)
	})
	if err == nil {
		p.showIgnored(q, out)
	}
	return err
}

func (p *program) showIgnored(q api.IgnoreRequest, out api.IgnoreResult) {
	rules := clean(strings.Join(out.Rules, "  "))
	if q.Undo {
		p.say("lines with this count again: %s", rules)
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
		p.say("%s", stamp(s.At))
		for _, l := range s.Lines {
			p.showLine(l.Op, []api.DiffPiece{{Text: l.Hunk}}, "")
		}
	}
	p.say("of the last %s, %d would have had such lines, and nobody would have been told of %d",
		words.Count(out.Changes, "change"), len(out.Silenced), whole)
	if q.Preview {
		p.say("nothing is kept; without --preview, lines with this do not count: %s", rules)
		return
	}
	p.say("lines with this do not count any more: %s", rules)
	p.say("`%s watch %s --undo` has them count again", p.name(), q.ID)
}
