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
	"github.com/tidemark/tidemark/pkg/form"
)

// refineFlags are the flags that change what is watched on a source that was already added.
type refineFlags struct {
	set    *changes // of an [api.IgnoreRequest]
	accept bool
}

func (r *refineFlags) add(f *pflag.FlagSet) {
	r.set = changesOf(f, form.Of[api.IgnoreRequest]())
	f.BoolVar(&r.accept, "accept", false, "accept the page as it is now, which ends a broken watch")
}

// request returns the request that the flags and the ignored lines of a watch make, and whether there are such flags.
func (r *refineFlags) request(p api.Patch) (q api.IgnoreRequest, given bool, err error) {
	asked, err := r.set.patch()
	if err == nil {
		err = asked.Apply(&q)
	}
	ignored, _ := p.Get("watch", "ignore")
	if q.Patterns, _ = ignored.([]string); len(q.Patterns) == 1 {
		q.Pattern, q.Patterns = q.Patterns[0], nil
	}
	return q, r.accept || len(asked) > 0, err
}

// meant reports whether the user wants to change which lines of one known source count.
func (r *refineFlags) meant(args []string, p api.Patch) bool {
	_, ignores := p.Get("watch", "ignore")
	_, given, err := r.request(p)
	return given || err != nil || len(args) == 1 && isID.MatchString(args[0]) && (ignores || len(p) == 0)
}

func (r *refineFlags) run(t *terminal.Terminal, s *command.Server, cmd *cobra.Command, args []string,
	p api.Patch) error {
	if len(args) != 1 {
		return command.Usagef("give one id or URL, not %d", len(args))
	}
	q, _, err := r.request(p)
	if err != nil {
		return err
	}
	if err := r.check(cmd, q); err != nil {
		return err
	}
	ctx := cmd.Context()
	if r.accept {
		it, err := atItem(ctx, s, s.Client(), args[0], api.AcceptWatch)
		t.SayWhen(err == nil, "%s: what is watched is right as it is now; it is checked again", it.ID)
		return err
	}
	name, err := namedCaptures(ctx, s, args[0], &q.From, &q.To)
	if err != nil {
		return err
	}
	out, err := onItem(ctx, s, name, func(id string) (api.IgnoreResult, error) {
		q.ID = id
		return api.IgnoreLines.Call(ctx, s.Client(), q)
	})
	if err == nil {
		showIgnored(t, q, out)
		sayUndo(t, out.Undo)
	}
	return err
}

// check refuses flags that do not go together.
func (r *refineFlags) check(cmd *cobra.Command, q api.IgnoreRequest) error {
	own := []string{"ignore", "accept"}
	for _, f := range r.set.flags.All {
		own = append(own, f.Name)
	}
	var other []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(own, f.Name) {
			other = append(other, "--"+f.Name)
		}
	})
	given := len(q.Patterns)
	for _, is := range []bool{q.Pattern != "", q.Text != "", q.Hunk > 0} {
		if is {
			given++
		}
	}
	switch {
	case len(other) > 0:
		return command.Usagef("%s is of URLs that are registered: give it on its own", strings.Join(other, ", "))
	case r.accept && (q.Preview || q.Undo || given > 0):
		return command.Usagef("--accept goes with nothing else")
	case len(q.Lines) > 0 && q.Hunk == 0:
		return command.Usagef("--line is a line of a --hunk")
	case q.Undo && (q.Preview || q.Text+q.Was != "" || q.Hunk > 0 || given > 1):
		return command.Usagef("--undo goes with nothing but one --ignore")
	case !r.accept && !q.Undo && given != max(1, len(q.Patterns)):
		return command.Usagef("give --ignore, --ignore-text or --hunk, or else --undo, or --accept")
	}
	return nil
}

func showIgnored(t *terminal.Terminal, q api.IgnoreRequest, out api.IgnoreResult) {
	rules := terminal.Clean(strings.Join(out.Rules, "  "))
	if q.Undo {
		t.Say("lines with this count again: %s", rules)
		return
	}
	for i, l := range out.Lines {
		showProposed(t, i+1, l)
	}
	whole := 0
	for _, s := range out.Silenced {
		if s.Whole {
			whole++
		}
		if !q.Preview {
			continue
		}
		t.Say("%s", words.Stamp(s.At))
		for _, l := range s.Lines {
			showLine(t, l.Op, []api.DiffPiece{{Text: l.Hunk}}, "")
		}
	}
	t.SayWhen(out.Unread > 0, "%s were not examined, because the captures are large",
		words.Count(out.Unread, "older change"))
	t.Say("of the last %s, %d would have had such lines, and nobody would have been told of %d",
		words.Count(out.Changes, "change"), len(out.Silenced), whole)
	t.SayWhen(q.Preview, "nothing is kept; without --preview, lines with this do not count: %s", rules)
	t.SayWhen(!q.Preview, "lines with this do not count any more: %s%s\n"+
		"`%s watch %s --undo` has them count again", rules, terminal.When(len(out.Ignore) > len(out.Rules),
		"\nof this page, %s are ignored now", words.Count(len(out.Ignore), "rule")), t.Name, q.ID)
}

// showProposed shows a changed line with the rule that is proposed for it.
func showProposed(t *terminal.Terminal, n int, l api.IgnoreLine) {
	t.Say("line %d", n)
	for _, side := range []struct{ op, text string }{{"removed", l.Was}, {"added", l.Is}} {
		if side.text != "" {
			showLine(t, side.op, []api.DiffPiece{{Text: side.text}}, "")
		}
	}
	if l.Pattern == "" {
		t.Say("    no pattern: %s", terminal.Clean(l.Why))
		return
	}
	t.Say("    %s", terminal.Clean(l.Pattern))
	t.SayWhen(len(l.Moves) == 0, "    only exactly this line: nothing in it is known to move")
	t.SayWhen(l.Fact, "    it would hide a fact: it is ignored if you name it by --line %d", n)
}
