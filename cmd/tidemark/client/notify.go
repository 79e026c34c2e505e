package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

const rulesExample = `  tidemark rules add Prices --host shop.example --kind content --added '€ ?[0-9]' --channel ops
  tidemark rules add Everything --channel ops --daily 07:30 --timezone Europe/Paris
  tidemark rules add Cheap --page https://shop.example/lamp --when 'price < 80 EUR' --first --channel ops
  tidemark rules add Lowest --tag lamps --when 'price <' --against lowest --channel ops
  tidemark rules set rule_abc --hourly
  tidemark rules test rule_abc`

const rulesLong = `A rule decides which channels are notified of which changes, at once or in a digest.
It applies to changes after its creation. Rules from the file that RULES_FILE names
are shown here, and can be changed only in that file.`

func rulesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Set who is notified of changes", Long: rulesLong, Example: rulesExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listRules(cmd.Context(), t, s) },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List rules", Args: cobra.NoArgs, Example: "  tidemark rules list",
			RunE: func(cmd *cobra.Command, _ []string) error { return listRules(cmd.Context(), t, s) }},
		&cobra.Command{Use: "show ID", Short: "Show everything about one rule", Args: command.One("id"),
			Example: "  tidemark rules show rule_abc",
			RunE:    func(cmd *cobra.Command, args []string) error { return showRule(cmd.Context(), t, s, args[0]) }},
		ruleAdd(t, s),
		ruleSet(t, s),
		ruleTest(t, s),
		&cobra.Command{Use: "remove ID", Short: "Remove a rule", Args: command.One("id"),
			Example: "  tidemark rules remove rule_abc",
			RunE: func(cmd *cobra.Command, args []string) error {
				gone, err := api.RemoveRule.Call(cmd.Context(), s.Client(), api.RuleID{ID: args[0]})
				if err == nil && !t.JSON {
					t.Say("the rule %s is removed", terminal.Clean(gone.Name))
				}
				return err
			}},
	)
	return cmd
}

func listRules(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	got, err := api.ListRules.Call(ctx, s.Client(), api.RuleQuery{Top: 5000})
	switch {
	case err != nil || t.JSON:
		return err
	case len(got.Rules) == 0:
		t.Say("no rules; `%s rules add NAME --channel CHANNEL` makes one", t.Name)
		return nil
	}
	rows := []string{"NAME\tCONDITION\tWHEN\tCHANNELS\tFROM\tID\tPROBLEM"}
	for _, r := range got.Rules {
		rows = append(rows, terminal.Row(r.Name, condition.Text(r.When), digestText(r), strings.Join(r.Channels, ","),
			r.Origin, r.ID, r.Problem))
	}
	return terminal.Table(t.Out, rows...)
}

// digestText says when a rule sends.
func digestText(r api.Rule) string {
	switch {
	case r.Off:
		return "off"
	case r.Digest == "" || r.Digest == "none":
		return "at once"
	default:
		return strings.TrimSpace(r.Digest + " " + r.At)
	}
}

func showRule(ctx context.Context, t *terminal.Terminal, s *command.Server, id string) error {
	r, err := api.GetRule.Call(ctx, s.Client(), api.RuleID{ID: id})
	if err != nil || t.JSON {
		return err
	}
	quiet := ""
	if q := r.QuietHours; q != nil {
		quiet = strings.TrimSpace(q.From + "-" + q.To + " " + q.Timezone)
	}
	share := ""
	if r.Filter.MinShare > 0 {
		share = fmt.Sprintf("at least %s of the text", percent(r.Filter.MinShare))
	}
	var own api.MessageWording
	if r.Message != nil {
		own = *r.Message
	}
	sayFields(t, []field{
		{"id", r.ID}, {"name", r.Name}, {"problem", r.Problem}, {"warning", r.Warning},
		{"page", firstOf(strings.TrimSpace(r.Title+" "+r.URL), r.Filter.ItemID)}, {"items", r.Filter.Items},
		{"host", r.Filter.Host}, {"tag", r.Filter.Tag}, {"type", r.Filter.Type}, {"kinds", r.Filter.Kind},
		{"zone", r.Filter.Zone}, {"silenced", r.Filter.Silenced},
		{"changed", share}, {"words", r.Filter.Q}, {"added", r.Filter.Added}, {"removed", r.Filter.Removed},
		{"condition", condition.Text(r.When)},
		{"message title", own.Title}, {"message text", own.Text},
		{"channels", strings.Join(r.Channels, ", ")}, {"when", digestText(r)}, {"timezone", r.Timezone},
		{"quiet hours", quiet}, {"gathered", positive(r.Gathered)}, {"edited in", r.Origin},
		{"made", terminal.Moment(t.Now(), r.Created)},
	})
	return nil
}

func ruleTest(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{Use: "test ID", Short: "Try a rule on the newest changes, and show its message; nothing is sent",
		Args: command.One("id"), Example: "  tidemark rules test rule_abc\n" +
			"  tidemark rules test rule_abc --message-title '{{title}}: {{summary}}' --message-text '{{difference}}'"}
	var own api.MessageWording
	messageFlags(cmd.Flags(), &own)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		got, err := triedRule(cmd, s, args[0], own)
		if err != nil || t.JSON {
			return err
		}
		sayTest(t, got)
		return nil
	}
	return cmd
}

// triedRule tries a stored rule. If flags word its messages, it tries the rule with these words, which are not saved.
func triedRule(cmd *cobra.Command, s *command.Server, id string, own api.MessageWording) (api.RuleTest, error) {
	if !cmd.Flags().Changed(flagTitle) && !cmd.Flags().Changed(flagText) {
		return api.TestRule.Call(cmd.Context(), s.Client(), api.RuleID{ID: id})
	}
	r, err := api.GetRule.Call(cmd.Context(), s.Silent(), api.RuleID{ID: id})
	if err != nil {
		return api.RuleTest{}, err
	}
	cmd.Flags().Visit(func(f *pflag.Flag) { r.Message = reworded(f.Name, r.Message, own) })
	return api.PreviewRule.Call(cmd.Context(), s.Client(), r.RuleSpec)
}

// sayRuleWarning says why a rule reports nothing.
func sayRuleWarning(t *terminal.Terminal, why string) {
	if why != "" {
		t.Say("the rule reports nothing: %s", terminal.Clean(why))
	}
}

// sayTest says what a rule would have sent.
func sayTest(t *terminal.Terminal, got api.RuleTest) {
	t.Say("would have sent %s about %d of the newest %d changes", words.Count(got.Messages, "message"), got.Matched,
		got.Looked)
	sayRuleWarning(t, got.Warning)
	if got.Partial {
		t.Say("the test ended early because the regular expressions take too long")
	}
	for _, c := range got.Changes {
		t.Say("%s  %s  %s", terminal.Minute(c.At), terminal.Clean(string(c.Kind)), terminal.Clean(changedName(c)))
	}
	if got.Preview != nil {
		sayPreview(t, *got.Preview)
	}
}

// sayPreview shows a message as each channel gets it.
func sayPreview(t *terminal.Terminal, p api.MessagePreview) {
	about := "the newest of these changes"
	if p.Sample {
		about = "a sample, because the rule has matched no change"
	}
	for _, m := range p.Messages {
		where := ""
		if m.Channel != "" {
			where = " to " + terminal.Clean(m.Channel) + " (" + terminal.Clean(m.Service) + ")"
		}
		t.Say("\nthe message%s about %s:", where, about)
		if m.Title != "" {
			t.Say("  %s", terminal.Clean(m.Title))
		}
		for line := range strings.SplitSeq(m.Text, "\n") {
			t.Say("  %s", terminal.Clean(line))
		}
		if m.Cut {
			t.Say("  (cut: %s does not take all of it)", terminal.Clean(firstOf(m.Service, "a service")))
		}
	}
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

const channelsLong = `A channel is a way to notify people or programs of changes: a webhook, signed by
Standard Webhooks, or a service such as Slack, Matrix or mail. The dashboard has a
form for each service. Here, the address of a service is a setting,
CREDENTIAL_NAME=secret ADDRESS.`

func channelsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{
		Use: "channels", Short: "Set how to notify people and programs", Long: channelsLong, Example: channelsExample,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return listChannels(cmd.Context(), t, s) },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List channels", Args: cobra.NoArgs, Example: "  tidemark channels list",
			RunE: func(cmd *cobra.Command, _ []string) error { return listChannels(cmd.Context(), t, s) }},
		channelAdd(t, s),
		channelSet(t, s),
		&cobra.Command{Use: "test NAME", Short: "Send a test, and show the answer", Args: command.One("name"),
			Example: "  tidemark channels test ops",
			RunE:    func(cmd *cobra.Command, args []string) error { return testChannel(cmd.Context(), t, s, args[0]) }},
		&cobra.Command{Use: "remove NAME", Short: "Remove a channel", Args: command.One("name"),
			Example: "  tidemark channels remove ops",
			RunE: func(cmd *cobra.Command, args []string) error {
				gone, err := api.RemoveChannel.Call(cmd.Context(), s.Client(), api.ChannelName{Name: args[0]})
				if err == nil && !t.JSON {
					t.Say("the channel %s is removed", terminal.Clean(gone.Name))
				}
				return err
			}},
	)
	return cmd
}

func listChannels(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	got, err := api.ListChannels.Call(ctx, s.Client(), api.None{})
	switch {
	case err != nil || t.JSON:
		return err
	case len(got.Channels) == 0:
		t.Say("no channels; `%s channels add NAME --webhook URL` makes one", t.Name)
		return nil
	}
	rows := []string{"NAME\tKIND\tTO\tFROM\tPROBLEM"}
	for _, c := range got.Channels {
		to := c.URL
		if c.URLFrom != "" {
			to = strings.TrimSpace(c.Service + " " + c.URLFrom)
		} else if c.To != "" {
			to = c.To
		}
		problem := c.Problem
		if c.RestsUntil.After(time.Now()) {
			problem = strings.TrimSpace(problem + " next try at " + terminal.Minute(c.RestsUntil))
		}
		rows = append(rows, terminal.Row(c.Name, c.Kind, to, c.Origin, problem))
	}
	return terminal.Table(t.Out, rows...)
}

// testChannel sends a test message. It returns an error if the receiver did not accept it, so that scripts see the
// failure.
func testChannel(ctx context.Context, t *terminal.Terminal, s *command.Server, name string) error {
	said, err := api.TestChannel.Call(ctx, s.Client(), api.ChannelTest{Name: name})
	switch {
	case err != nil:
		return err
	case !said.OK:
		return errors.New("the receiver did not take it: " + terminal.Clean(answerText(said)))
	case !t.JSON:
		t.Say("taken: %s", terminal.Clean(answerText(said)))
	}
	return nil
}
