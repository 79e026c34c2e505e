package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// ruleFlags are the flags that describe a rule: one for each setting, and four for when messages are sent, which two
// settings say together.
type ruleFlags struct {
	*changes
	daily, weekly  string
	hourly, atOnce bool
}

func newRuleFlags(f *pflag.FlagSet, without ...string) *ruleFlags {
	g := &ruleFlags{changes: changesOf(f, form.Of[api.RuleSpec](), without...)}
	f.BoolVar(&g.atOnce, "at-once", false, "send a message for each change at once")
	f.BoolVar(&g.hourly, "hourly", false, "send a digest each hour")
	f.StringVar(&g.daily, "daily", "", "send a digest each day at this `TIME`, such as 07:30")
	f.StringVar(&g.weekly, "weekly", "", "send a digest each week at this `TIME`, on the day that --on names")
	return g
}

// patch returns what was asked for.
func (g *ruleFlags) patch() (api.Patch, error) {
	p, err := g.changes.patch()
	said := 0
	for _, rhythm := range []struct {
		given      bool
		digest, at any
	}{{g.atOnce, nil, nil}, {g.hourly, "hourly", nil}, {g.daily != "", "daily", g.daily},
		{g.weekly != "", "weekly", g.weekly}} {
		if rhythm.given && err == nil {
			p["digest"], p["at"] = rhythm.digest, rhythm.at
			said++
		}
	}
	if said > 0 && g.weekly == "" && p["on"] == nil {
		p["on"] = nil
	}
	if said > 1 {
		return nil, command.Usagef("give one of --at-once, --hourly, --daily and --weekly")
	}
	return p, err
}

// savingFlags adds the flags that say how a rule is saved.
func savingFlags(f *pflag.FlagSet, how *api.RuleSaving) {
	f.BoolVar(&how.Anyway, "anyway", false, "save it even if it can fire on none of its pages")
	f.BoolVar(&how.Now, "now", false, "send a message at once if its condition holds already")
}

// orAnyway adds to the error of a rule that could not fire how it is saved all the same.
func orAnyway(err error) error {
	if p, ok := errors.AsType[*api.Problem](err); ok && len(p.Cannot) > 0 {
		return fmt.Errorf("%w; --anyway saves it", err)
	}
	return err
}

// pageID returns the id of a page, given by its address or id; "" for none.
func pageID(ctx context.Context, s *command.Server, page string) (string, error) {
	if page == "" {
		return "", nil
	}
	it, err := itemFrom(ctx, s, s.Silent(), page)
	return it.ID, err
}

func ruleAdd(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var g *ruleFlags
	var page string
	var how api.RuleSaving
	run := func(ctx context.Context, args []string) error {
		patch, err := g.patch()
		var of string
		if err == nil {
			of, err = pageID(ctx, s, page)
		}
		if of != "" {
			patch.Set(of, "filter", "itemId")
		}
		spec := api.NewRule{RuleSpec: api.RuleSpec{Name: args[0]}, RuleSaving: how}
		if err == nil {
			err = patch.Apply(&spec)
		}
		if err != nil {
			return err
		}
		made, err := api.AddRule.Call(ctx, s.Client(), spec)
		err = orAnyway(err)
		if err == nil {
			t.Say("rule %s made; it applies to changes from now on: %s", terminal.Clean(made.Name), terminal.Clean(made.ID))
			sayFiring(t, made.Warning, made.Firing)
			sayRuleChecks(t, made)
			proposed := form.ProposedEvery(made.RuleSpec, nil)
			t.SayWhen(made.Every == "", "its pages are checked as often as their settings say; --every %s is proposed: %s",
				proposed, form.Cost(proposed))
			sayUndo(t, made.Undo)
		}
		return err
	}
	cmd := command.New("add NAME\nMake a rule\n\n"+rulesExample, command.One("name"), run)
	g = newRuleFlags(cmd.Flags(), "name")
	savingFlags(cmd.Flags(), &how)
	cmd.Flags().StringVar(&page, "page", "", "only changes of this `PAGE`: its address or id")
	return cmd
}

const ruleSetHelp = `set ID
Change a rule; other settings stay

  tidemark rules set rule_abc --hourly
  tidemark rules set rule_abc --clear host --clear quiet`

func ruleSet(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return setting(ruleSetHelp, "id", "--hourly", func(f *pflag.FlagSet) func() (api.Patch, error) {
		g := newRuleFlags(f)
		g.clears(f)
		var how api.RuleSaving
		savingFlags(f, &how)
		return func() (api.Patch, error) {
			p, err := g.patch()
			if how.Anyway {
				p["anyway"] = true
			}
			if how.Now {
				p["now"] = true
			}
			return p, err
		}
	}, func(ctx context.Context, id string, p api.Patching) error {
		made, err := api.PatchRule.Call(ctx, s.Client(), api.RulePatch{ID: id, Patching: p})
		err = orAnyway(err)
		if err == nil {
			t.Say("rule %s changed", terminal.Clean(made.Name))
			sayFiring(t, made.Warning, made.Firing)
			sayRuleChecks(t, made)
			sayUndo(t, made.Undo)
		}
		return err
	})
}

const ruleMuteHelp = `mute PAGE
Keep messages about a page back; its changes stay listed

  tidemark rules mute https://shop.example/lamp --for 3d
  tidemark rules mute url_k7gxn3… --rule rule_abc`

func ruleMute(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var set *changes
	cmd := command.New(ruleMuteHelp, command.One("page"), func(ctx context.Context, args []string) error {
		patch, err := set.patch()
		q := api.MuteRequest{For: "day"}
		if err == nil {
			err = patch.Apply(&q)
		}
		var it api.ItemDetail
		if err == nil {
			it, err = itemFrom(ctx, s, s.Silent(), args[0])
		}
		if q.ItemID = it.ID; err != nil {
			return err
		}
		m, err := api.AddMute.Call(ctx, s.Client(), q)
		t.SayWhen(err == nil, "%s: %s", muteText(m), terminal.Clean(m.ID))
		sayUndo(t, m.Undo)
		return err
	})
	set = changesOf(cmd.Flags(), form.Of[api.MuteRequest]())
	return cmd
}

func ruleUnmute(t *terminal.Terminal, s *command.Server) *cobra.Command {
	const help = "unmute ID|PAGE\nEnd a mute, or all mutes of a page\n\n  tidemark rules unmute https://shop.example/lamp"
	return command.New(help, command.One("id or page"), func(ctx context.Context, args []string) error {
		mutes := []api.Mute{{ID: args[0]}}
		if strings.Contains(args[0], "/") || !strings.Contains(args[0], ".") {
			it, err := itemFrom(ctx, s, s.Silent(), args[0])
			if err != nil {
				return err
			}
			all, err := api.ListMutes.Call(ctx, s.Silent(), api.MuteQuery{ItemID: it.ID})
			if mutes = all.Mutes; err != nil {
				return err
			}
			t.SayWhen(len(mutes) == 0, "no messages about %s are muted", nameOf(it.Item))
		}
		for _, m := range mutes {
			ended, err := api.RemoveMute.Call(ctx, s.Client(), api.MuteID{ID: m.ID})
			if err != nil {
				return err
			}
			t.Say("the mute %s has ended", terminal.Clean(m.ID))
			sayUndo(t, ended.Undo)
		}
		return nil
	})
}

func listMutes(t *terminal.Terminal, s *command.Server) *cobra.Command {
	const help = "mutes\nList the pages whose messages are muted\n\n  tidemark rules mutes"
	return command.New(help, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListMutes.Call(ctx, s.Client(), api.MuteQuery{})
		if err != nil {
			return err
		}
		return terminal.List(t, got.Mutes, "no messages are muted", "PAGE\tMUTED\tID", func(m api.Mute) string {
			return terminal.Row(firstOf(m.Title, m.URL, m.ItemID, "all pages"), muteText(m), m.ID)
		})
	})
}
