package client

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// ruleFlags are the flags that describe a rule: one for each setting, and three for when messages are sent, which two
// settings say together.
type ruleFlags struct {
	*changes
	daily          string
	hourly, atOnce bool
}

func newRuleFlags(f *pflag.FlagSet, without ...string) *ruleFlags {
	g := &ruleFlags{changes: changesOf(f, form.Of[api.RuleSpec](), without...)}
	f.BoolVar(&g.atOnce, "at-once", false, "send a message for each change at once")
	f.BoolVar(&g.hourly, "hourly", false, "send a digest each hour")
	f.StringVar(&g.daily, "daily", "", "send a digest each day at this `TIME`, such as 07:30")
	return g
}

// patch returns what was asked for.
func (g *ruleFlags) patch() (api.Patch, error) {
	p, err := g.changes.patch()
	said := 0
	for _, rhythm := range []struct {
		given      bool
		digest, at any
	}{{g.atOnce, nil, nil}, {g.hourly, "hourly", nil}, {g.daily != "", "daily", g.daily}} {
		if rhythm.given && err == nil {
			p["digest"], p["at"] = rhythm.digest, rhythm.at
			said++
		}
	}
	if said > 1 {
		return nil, command.Usagef("give one of --at-once, --hourly and --daily")
	}
	return p, err
}

func ruleAdd(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{Use: "add NAME", Short: "Make a rule", Args: command.One("name"), Example: rulesExample}
	g := newRuleFlags(cmd.Flags(), "name")
	var page string
	cmd.Flags().StringVar(&page, "page", "", "only changes of this `PAGE`: its address or id")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		patch, err := g.patch()
		if err == nil && page != "" {
			var it api.ItemDetail
			it, err = itemFrom(cmd.Context(), s, s.Silent(), page)
			patch.Set(it.ID, "filter", "itemId")
		}
		spec := api.RuleSpec{Name: args[0]}
		if err == nil {
			err = patch.Apply(&spec)
		}
		if err != nil {
			return err
		}
		made, err := api.AddRule.Call(cmd.Context(), s.Client(), spec)
		if err == nil && !t.JSON {
			t.Say("rule %s made; it applies to changes from now on: %s", terminal.Clean(made.Name), terminal.Clean(made.ID))
			sayRuleWarning(t, made.Warning)
		}
		return err
	}
	return cmd
}

func ruleSet(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{Use: "set ID", Short: "Change a rule; other settings stay", Args: command.One("id"),
		Example: "  tidemark rules set rule_abc --hourly\n  tidemark rules set rule_abc --clear host --clear quiet"}
	g := newRuleFlags(cmd.Flags())
	g.clears(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		patch, err := g.patch()
		if err != nil {
			return err
		}
		if len(patch) == 0 {
			return command.Usagef("give what changes, such as --hourly, or --clear NAME")
		}
		made, err := api.PatchRule.Call(cmd.Context(), s.Client(),
			api.RulePatch{ID: args[0], Patching: api.Patching{Patch: patch}})
		if err == nil && !t.JSON {
			t.Say("rule %s changed", terminal.Clean(made.Name))
			sayRuleWarning(t, made.Warning)
		}
		return err
	}
	return cmd
}

func ruleMute(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{Use: "mute PAGE", Short: "Keep messages about a page back; its changes stay listed",
		Args: command.One("page"), Example: "  tidemark rules mute https://shop.example/lamp --for 3d\n" +
			"  tidemark rules mute url_k7gxn3… --rule rule_abc"}
	set := changesOf(cmd.Flags(), form.Of[api.MuteRequest]())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		patch, err := set.patch()
		q := api.MuteRequest{For: "day"}
		if err == nil {
			err = patch.Apply(&q)
		}
		var it api.ItemDetail
		if err == nil {
			it, err = itemFrom(cmd.Context(), s, s.Silent(), args[0])
		}
		if q.ItemID = it.ID; err != nil {
			return err
		}
		m, err := api.AddMute.Call(cmd.Context(), s.Client(), q)
		if err == nil && !t.JSON {
			t.Say("%s: %s", muteText(m), terminal.Clean(m.ID))
		}
		return err
	}
	return cmd
}

func ruleUnmute(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{Use: "unmute ID|PAGE", Short: "End a mute, or all mutes of a page",
		Args: command.One("id or page"), Example: "  tidemark rules unmute https://shop.example/lamp",
		RunE: func(cmd *cobra.Command, args []string) error {
			ids := args
			if strings.Contains(args[0], "/") || !strings.Contains(args[0], ".") {
				it, err := itemFrom(cmd.Context(), s, s.Silent(), args[0])
				if err != nil {
					return err
				}
				all, err := api.ListMutes.Call(cmd.Context(), s.Silent(), api.MuteQuery{ItemID: it.ID})
				if err != nil {
					return err
				}
				if ids = nil; len(all.Mutes) == 0 && !t.JSON {
					t.Say("no messages about %s are muted", nameOf(it.Item))
				}
				for _, m := range all.Mutes {
					ids = append(ids, m.ID)
				}
			}
			for _, id := range ids {
				m, err := api.RemoveMute.Call(cmd.Context(), s.Client(), api.MuteID{ID: id})
				if err != nil {
					return err
				}
				if !t.JSON {
					t.Say("the mute %s has ended", terminal.Clean(m.ID))
				}
			}
			return nil
		}}
}

func listMutes(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return &cobra.Command{Use: "mutes", Short: "List the pages whose messages are muted", Args: cobra.NoArgs,
		Example: "  tidemark rules mutes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := api.ListMutes.Call(cmd.Context(), s.Client(), api.MuteQuery{})
			switch {
			case err != nil || t.JSON:
				return err
			case len(got.Mutes) == 0:
				t.Say("no messages are muted")
				return nil
			}
			rows := []string{"PAGE\tMUTED\tID"}
			for _, m := range got.Mutes {
				rows = append(rows, terminal.Row(firstOf(m.Title, m.URL, m.ItemID), muteText(m), m.ID))
			}
			return terminal.Table(t.Out, rows...)
		}}
}
