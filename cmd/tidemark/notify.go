package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const rulesExample = `  tidemark rules add Prices --host shop.example --kind content --added '€ ?[0-9]' --channel ops
  tidemark rules add Everything --channel ops --daily 07:30 --timezone Europe/Paris
  tidemark rules test rule_abc`

const rulesLong = `A rule says of which changes which channels are told, at once or as a digest. It
tells of what changes from its creation on. Rules of the file that RULES_FILE
names are shown here and changed there.`

func rulesCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Say who is told of which changes", Long: rulesLong, Example: rulesExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listRules(cmd.Context(), p) },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List rules", Args: cobra.NoArgs, Example: "  tidemark rules list",
			RunE: func(cmd *cobra.Command, _ []string) error { return listRules(cmd.Context(), p) }},
		ruleAdd(p),
		&cobra.Command{Use: "test ID", Short: "Try a rule on the newest changes; nothing is sent", Args: one("id"),
			Example: "  tidemark rules test rule_abc",
			RunE:    func(cmd *cobra.Command, args []string) error { return testRule(cmd.Context(), p, args[0]) }},
		&cobra.Command{Use: "remove ID", Short: "Remove a rule", Args: one("id"),
			Example: "  tidemark rules remove rule_abc",
			RunE: func(cmd *cobra.Command, args []string) error {
				gone, err := api.RemoveRule.Call(cmd.Context(), p.client(), api.RuleID{ID: args[0]})
				if err == nil && !p.json {
					p.say("the rule %s is removed", clean(gone.Name))
				}
				return err
			}},
	)
	return cmd
}

func ruleAdd(p *program) *cobra.Command {
	var spec api.RuleSpec
	var daily, quiet string
	var hourly bool
	cmd := &cobra.Command{Use: "add NAME", Short: "Make a rule", Args: one("name"), Example: rulesExample}
	f := cmd.Flags()
	f.StringVar(&spec.Filter.Host, "host", "", "only changes of this host")
	f.StringVar(&spec.Filter.Tag, "tag", "", "only changes of items with this tag")
	f.StringVar(&spec.Filter.Type, "type", "", "only url, file or entry")
	f.StringVar(&spec.Filter.Kind, "kind", "", "only these kinds, with commas between them")
	f.Float64Var(&spec.Filter.MinShare, "min-share", 0, "the least part of the text that has changed, 0 to 1")
	f.StringVar(&spec.Filter.Q, "q", "", "words that all stand in the title, the address or the passages")
	f.StringVar(&spec.Filter.Added, "added", "", "regular expression that an added passage matches")
	f.StringVar(&spec.Filter.Removed, "removed", "", "regular expression that a removed passage matches")
	f.StringSliceVar(&spec.Channels, "channel", nil, "who is told; may be repeated")
	f.BoolVar(&hourly, "hourly", false, "gather, and tell each hour")
	f.StringVar(&daily, "daily", "", "gather, and tell each day at this time, such as 07:30")
	f.StringVar(&spec.Timezone, "timezone", "", "of times of a day, such as Europe/Paris; UTC without it")
	f.StringVar(&quiet, "quiet", "", "when to be silent, such as 22:00-07:00")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec.Name = args[0]
		switch {
		case hourly && daily != "":
			return usagef("give --hourly or --daily")
		case hourly:
			spec.Digest = "hourly"
		case daily != "":
			spec.Digest, spec.At = "daily", daily
		}
		if from, to, ok := strings.Cut(quiet, "-"); ok {
			spec.QuietHours = &api.QuietHours{From: from, To: to}
		} else if quiet != "" {
			return usagef("--quiet is two times such as 22:00-07:00")
		}
		made, err := api.AddRule.Call(cmd.Context(), p.client(), spec)
		if err == nil && !p.json {
			p.say("the rule %s tells of what changes from now on: %s", clean(made.Name), clean(made.ID))
		}
		return err
	}
	return cmd
}

func listRules(ctx context.Context, p *program) error {
	got, err := api.ListRules.Call(ctx, p.client(), api.None{})
	switch {
	case err != nil || p.json:
		return err
	case len(got.Rules) == 0:
		p.say("no rules; `%s rules add NAME --channel CHANNEL` makes one", p.name())
		return nil
	}
	rows := []string{"NAME\tWHEN\tCHANNELS\tFROM\tID"}
	for _, r := range got.Rules {
		when := r.Digest
		switch {
		case when == "" || when == "none":
			when = "at once"
		case r.At != "":
			when += " " + r.At
		}
		rows = append(rows, row(r.Name, when, strings.Join(r.Channels, ","), r.Origin, r.ID))
	}
	return table(p.out, rows...)
}

func testRule(ctx context.Context, p *program, id string) error {
	got, err := api.TestRule.Call(ctx, p.client(), api.RuleID{ID: id})
	if err != nil || p.json {
		return err
	}
	p.say("%d of the newest %d changes", got.Matched, got.Looked)
	for _, c := range got.Changes {
		p.say("%s  %s  %s", dayOf(c.At), clean(string(c.Kind)), clean(changedName(c)))
	}
	return nil
}

func changedName(c api.FeedChange) string {
	for _, name := range []string{c.URL, c.Title, c.ItemID} {
		if name != "" {
			return name
		}
	}
	return c.EntryID
}

const channelsExample = `  tidemark channels add ops --webhook https://ops.example/hook
  tidemark channels add chat --service CHAT    # CREDENTIAL_CHAT=secret slack://…
  tidemark channels test ops`

const channelsLong = `A channel is a way to tell somebody of changes: a webhook, which is signed by
Standard Webhooks, or a service such as Slack, Matrix or mail, whose address is
a setting, CREDENTIAL_NAME=secret ADDRESS.`

func channelsCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "channels", Short: "Say how people and programs are told", Long: channelsLong, Example: channelsExample,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return listChannels(cmd.Context(), p) },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List channels", Args: cobra.NoArgs, Example: "  tidemark channels list",
			RunE: func(cmd *cobra.Command, _ []string) error { return listChannels(cmd.Context(), p) }},
		channelAdd(p),
		&cobra.Command{Use: "test NAME", Short: "Send a test, and show what the receiver says", Args: one("name"),
			Example: "  tidemark channels test ops",
			RunE:    func(cmd *cobra.Command, args []string) error { return testChannel(cmd.Context(), p, args[0]) }},
		&cobra.Command{Use: "remove NAME", Short: "Remove a channel", Args: one("name"),
			Example: "  tidemark channels remove ops",
			RunE: func(cmd *cobra.Command, args []string) error {
				gone, err := api.RemoveChannel.Call(cmd.Context(), p.client(), api.ChannelName{Name: args[0]})
				if err == nil && !p.json {
					p.say("the channel %s is removed", clean(gone.Name))
				}
				return err
			}},
	)
	return cmd
}

func channelAdd(p *program) *cobra.Command {
	var spec api.ChannelSpec
	var service string
	cmd := &cobra.Command{Use: "add NAME", Short: "Make a channel", Args: one("name"), Example: channelsExample}
	f := cmd.Flags()
	f.StringVar(&spec.URL, "webhook", "", "address of a webhook")
	f.StringVar(&spec.Secret, "secret", "", "NAME of the setting that a webhook is signed by; without it, one is made")
	f.StringVar(&service, "service", "", "NAME of the setting that has the address of a service")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec.Name, spec.Kind = args[0], "webhook"
		if (spec.URL == "") == (service == "") {
			return usagef("give --webhook URL or --service NAME")
		}
		if service != "" {
			spec.Kind, spec.URLFrom = "shoutrrr", service
		}
		made, err := api.AddChannel.Call(cmd.Context(), p.client(), spec)
		if err != nil || p.json {
			return err
		}
		if made.SigningSecret != "" {
			p.say("the channel %s is signed by:\n\n  %s\n", clean(made.Name), clean(made.SigningSecret))
			p.say("It is not shown again. The receiver needs it to know who sends.")
		} else {
			p.say("the channel %s is made", clean(made.Name))
		}
		if made.Problem != "" {
			p.say("nothing can be sent yet: %s", clean(made.Problem))
		}
		return nil
	}
	return cmd
}

func listChannels(ctx context.Context, p *program) error {
	got, err := api.ListChannels.Call(ctx, p.client(), api.None{})
	switch {
	case err != nil || p.json:
		return err
	case len(got.Channels) == 0:
		p.say("no channels; `%s channels add NAME --webhook URL` makes one", p.name())
		return nil
	}
	rows := []string{"NAME\tKIND\tTO\tFROM\tPROBLEM"}
	for _, c := range got.Channels {
		to := c.URL
		if c.URLFrom != "" {
			to = strings.TrimSpace(c.Service + " " + c.URLFrom)
		}
		problem := c.Problem
		if c.RestsUntil.After(time.Now()) {
			problem = strings.TrimSpace(problem + " next try at " + dayOf(c.RestsUntil))
		}
		rows = append(rows, row(c.Name, c.Kind, to, c.Origin, problem))
	}
	return table(p.out, rows...)
}

// testChannel fails if the receiver did not take the test, so that scripts know.
func testChannel(ctx context.Context, p *program, name string) error {
	said, err := api.TestChannel.Call(ctx, p.client(), api.ChannelName{Name: name})
	switch {
	case err != nil:
		return err
	case !said.OK:
		return errors.New("the receiver did not take it: " + clean(answerText(said)))
	case !p.json:
		p.say("taken: %s", clean(answerText(said)))
	}
	return nil
}
