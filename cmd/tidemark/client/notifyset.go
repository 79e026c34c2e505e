package client

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// ruleFlags are the flags that describe a rule.
type ruleFlags struct {
	spec           api.RuleSpec
	daily, quiet   string
	atOnce, hourly bool
	message        api.MessageWording
	when           api.Condition
	sentence       string
	given          *pflag.FlagSet
}

func newRuleFlags(cmd *cobra.Command) *ruleFlags {
	g := &ruleFlags{given: cmd.Flags()}
	f := g.given
	f.StringVar(&g.spec.Filter.Items, "items", "", "only items that a search finds: host=shop.example&tag=price&find=lamp")
	f.StringVar(&g.spec.Filter.Host, "host", "", "only changes of this host")
	f.StringVar(&g.spec.Filter.Tag, "tag", "", "only changes of items with this tag")
	f.StringVar(&g.spec.Filter.Type, "type", "", "only url, file or entry")
	f.StringVar(&g.spec.Filter.Kind, "kind", "", "only these kinds, separated by commas")
	f.Float64Var(&g.spec.Filter.MinShare, "min-share", 0, "the smallest changed share of the text, 0 to 1")
	f.StringVar(&g.spec.Filter.Q, "q", "", "words that must all occur in the title, the address or the passages")
	f.StringVar(&g.spec.Filter.Added, "added", "", "regular expression that an added passage matches")
	f.StringVar(&g.spec.Filter.Removed, "removed", "", "regular expression that a removed passage matches")
	f.StringSliceVar(&g.spec.Channels, "channel", nil, "channel to notify; may be repeated")
	f.BoolVar(&g.hourly, "hourly", false, "send a digest each hour")
	f.StringVar(&g.daily, "daily", "", "send a digest each day at this time, such as 07:30")
	f.StringVar(&g.spec.Timezone, "timezone", "", "time zone of --daily and --quiet: Europe/Paris; UTC by default")
	f.BoolVar(&g.spec.Off, "off", false, "the rule reports nothing; --off=false switches it on again")
	g.conditionFlags(f)
	messageFlags(f, &g.message)
	f.StringVar(&g.quiet, "quiet", "", "hours without messages, such as 22:00-07:00")
	return g
}

// change sets the fields of a rule for which the user gave flags, and leaves all other fields unchanged.
func (g *ruleFlags) change(spec *api.RuleSpec) (err error) {
	said := 0
	for _, given := range []bool{g.atOnce, g.hourly, g.daily != ""} {
		if given {
			said++
		}
	}
	if said > 1 {
		return command.Usagef("give one of --at-once, --hourly and --daily")
	}
	asked := false // for a condition
	g.given.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "name":
			spec.Name = g.spec.Name
		case "channel":
			spec.Channels = g.spec.Channels
		case "off":
			spec.Off = g.spec.Off
		case flagTitle, flagText:
			spec.Message = reworded(f.Name, spec.Message, g.message)
		case flagWhen, flagAgainst, flagFirst:
			asked = true
		case "timezone":
			spec.Timezone = g.spec.Timezone
		case "quiet":
			spec.QuietHours, err = g.quietHours(spec.QuietHours)
		default:
			g.filter(f.Name, &spec.Filter)
		}
	})
	if asked && err == nil {
		err = g.condition(spec)
	}
	switch {
	case g.atOnce:
		spec.Digest, spec.At = "", ""
	case g.hourly:
		spec.Digest, spec.At = "hourly", ""
	case g.daily != "":
		spec.Digest, spec.At = "daily", g.daily
	}
	return err
}

// The flags that word a message.
const (
	flagTitle = "message-title"
	flagText  = "message-text"
)

// messageFlags adds the flags that word a message.
func messageFlags(f *pflag.FlagSet, to *api.MessageWording) {
	f.StringVar(&to.Title, flagTitle, "", "title of messages, such as '{{title}}: {{summary}}'")
	f.StringVar(&to.Text, flagText, "", "text of messages, such as '{{difference}}'; links must be named: {{mute}}")
}

// reworded returns the words of messages with what a flag sets; nil if none are left. Other flags change nothing.
func reworded(flag string, old *api.MessageWording, to api.MessageWording) *api.MessageWording {
	out := api.MessageWording{}
	if old != nil {
		out = *old
	}
	switch flag {
	case flagTitle:
		out.Title = to.Title
	case flagText:
		out.Text = to.Text
	}
	if out == (api.MessageWording{}) {
		return nil
	}
	return &out
}

// filter applies a flag to the part of a filter that the flag sets.
func (g *ruleFlags) filter(flag string, to *api.RuleFilter) {
	from := g.spec.Filter
	switch flag {
	case "items":
		to.Items = from.Items
	case "host":
		to.Host = from.Host
	case "tag":
		to.Tag = from.Tag
	case "type":
		to.Type = from.Type
	case "kind":
		to.Kind = from.Kind
	case "min-share":
		to.MinShare = from.MinShare
	case "q":
		to.Q = from.Q
	case "added":
		to.Added = from.Added
	case "removed":
		to.Removed = from.Removed
	}
}

// quietHours returns the quiet hours that the flag sets, in the time zone of the old ones. For an empty flag it
// returns nil.
func (g *ruleFlags) quietHours(old *api.QuietHours) (*api.QuietHours, error) {
	if g.quiet == "" {
		return nil, nil
	}
	from, to, ok := strings.Cut(g.quiet, "-")
	if !ok {
		return old, command.Usagef("--quiet is two times such as 22:00-07:00")
	}
	hours := &api.QuietHours{From: from, To: to}
	if old != nil {
		hours.Timezone = old.Timezone
	}
	return hours, nil
}

func ruleAdd(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{Use: "add NAME", Short: "Make a rule", Args: command.One("name"), Example: rulesExample}
	g := newRuleFlags(cmd)
	var page string
	cmd.Flags().StringVar(&page, "page", "", "only changes of this page: its address or id")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec := api.RuleSpec{Name: args[0]}
		if err := g.change(&spec); err != nil {
			return err
		}
		if page != "" {
			it, err := getItem(cmd.Context(), s, page)
			if err != nil {
				return err
			}
			spec.Filter.ItemID = it.ID
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
		Example: "  tidemark rules set rule_abc --hourly\n  tidemark rules set rule_abc --host '' --quiet ''"}
	g := newRuleFlags(cmd)
	cmd.Flags().StringVar(&g.spec.Name, "name", "", "name of the rule")
	cmd.Flags().BoolVar(&g.atOnce, "at-once", false, "notify of each change at once")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().NFlag() == 0 {
			return command.Usagef("give what changes, such as --hourly")
		}
		old, err := api.GetRule.Call(cmd.Context(), s.Silent(), api.RuleID{ID: args[0]})
		if err != nil {
			return err
		}
		if err := g.change(&old.RuleSpec); err != nil {
			return err
		}
		made, err := api.SaveRule.Call(cmd.Context(), s.Client(), api.RuleUpdate{ID: args[0], RuleSpec: old.RuleSpec})
		if err == nil && !t.JSON {
			t.Say("rule %s changed", terminal.Clean(made.Name))
			sayRuleWarning(t, made.Warning)
		}
		return err
	}
	return cmd
}
