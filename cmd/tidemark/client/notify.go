package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/form"
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
	var page string
	var cannot bool
	list := func(ctx context.Context, _ []string) error {
		id, err := pageID(ctx, s, page)
		if err != nil {
			return err
		}
		got, err := api.ListRules.Call(ctx, s.Client(), api.RuleQuery{ItemID: id, Cannot: cannot, Top: 5000})
		if err != nil {
			return err
		}
		return terminal.List(t, got.Rules, "no rules; `"+t.Name+" rules add NAME --channel CHANNEL` makes one",
			"NAME\tCHANGES\tSENT\tCHANNELS\tFROM\tID\tPROBLEM", ruleRow)
	}
	cmd := command.New("rules\nSet who is notified of changes\n\n"+rulesLong+"\n\n"+rulesExample, cobra.NoArgs, list)
	const listHelp = "list\nList rules\n\n  tidemark rules list\n  tidemark rules list --page https://shop.example/lamp"
	listing := command.New(listHelp, cobra.NoArgs, list)
	listing.Flags().StringVar(&page, "page", "", "only the rules for this `PAGE`: its address or id")
	listing.Flags().BoolVar(&cannot, "cannot", false, "only rules that can fire on none of their pages, or are broken")
	cmd.AddCommand(listing,
		asked(s, "show ID\nShow everything about one rule\n\n  tidemark rules show rule_abc", command.One("id"),
			api.GetRule, func(r api.Rule) { showRule(t, r) }),
		ruleAdd(t, s), ruleSet(t, s), ruleTest(t, s), ruleMute(t, s), ruleUnmute(t, s), listMutes(t, s),
		asked(s, "remove ID\nRemove a rule\n\n  tidemark rules remove rule_abc", command.One("id"),
			api.RemoveRule, func(gone api.Rule) {
				t.Say("the rule %s is removed", terminal.Clean(gone.Name))
				sayUndo(t, gone.Undo)
			}))
	return cmd
}

// ruleRow is the row of a rule in a table.
func ruleRow(r api.Rule) string {
	when := cmp.Or(terminal.When(r.Off, "off"), form.Sent(r.RuleSpec))
	page := terminal.When(r.Filter.ItemID != "", "page %s", firstOf(r.Title, r.URL, r.Filter.ItemID))
	return terminal.Row(r.Name, firstOf(terminal.Join("; ", page, condition.Selected(r.RuleSpec)), "all"), when,
		strings.Join(r.Channels, ","), r.Origin, r.ID,
		cmp.Or(r.Problem, terminal.When(r.Warning != "", "cannot fire: %s", r.Warning)))
}

var yesNo = map[bool]string{true: "yes", false: "no"}

func showRule(t *terminal.Terminal, r api.Rule) {
	all := []field{{"id", r.ID}, {"enabled", yesNo[r.Enabled]}, {"problem", r.Problem}, {"warning", r.Warning}}
	r.Digest = firstOf(r.Digest, "none") // it is said, too
	for _, f := range form.Facts(r.RuleSpec) {
		switch f.Path {
		case "off": // the opposite of enabled
			continue
		case "filter.itemId":
			f.Value = firstOf(strings.TrimSpace(r.Title+" "+r.URL), f.Value)
		}
		all = append(all, field{f.Lowered(), f.Value})
	}
	sayFields(t, append(all, field{"checks cost", terminal.When(r.Cost != "", "%s for each page", r.Cost)},
		field{"gathered", positive(r.Gathered)}, field{"edited in", r.Origin},
		field{"made", words.Moment(t.Now(), r.Created)}))
	sayFiring(t, "", r.Firing)
}

const ruleTestHelp = `test ID
Try a rule on the newest changes, and show its message; nothing is sent

  tidemark rules test rule_abc
  tidemark rules test rule_abc --message-title '{{title}}: {{summary}}' --message-text '{{difference}}'`

func ruleTest(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var own *changes
	cmd := command.New(ruleTestHelp, command.One("id"), func(ctx context.Context, args []string) error {
		words, err := own.patch()
		var got api.RuleTest
		if err == nil {
			got, err = triedRule(ctx, s, args[0], words)
		}
		if err == nil {
			sayTest(t, got)
		}
		return err
	})
	own = changesOf(cmd.Flags(), form.Of[api.MessageWording]())
	return cmd
}

// triedRule tries a stored rule, with words for its messages, if there are any, which are not saved.
func triedRule(ctx context.Context, s *command.Server, id string, words api.Patch) (out api.RuleTest, err error) {
	if len(words) == 0 {
		return api.TestRule.Call(ctx, s.Client(), api.RuleID{ID: id})
	}
	r, err := api.GetRule.Call(ctx, s.Silent(), api.RuleID{ID: id})
	if err == nil {
		err = api.Patch{"message": map[string]any(words)}.Apply(&r.RuleSpec)
	}
	if err != nil {
		return out, err
	}
	return api.PreviewRule.Call(ctx, s.Client(), api.NewRule{RuleSpec: r.RuleSpec})
}

// sayFiring says where a rule cannot fire and why, and where its condition holds already.
func sayFiring(t *terminal.Terminal, warning string, f api.Firing) {
	t.SayWhen(warning != "", "the rule reports nothing: %s", terminal.Clean(warning))
	t.SayWhen(warning == "" && len(f.Cannot) > 0, "it cannot fire on %s:",
		words.Count(len(f.Cannot)+f.CannotMore, "page"))
	for _, c := range f.Cannot {
		t.Say("  %s", terminal.Clean(terminal.Join(": ", c.Title, c.Why)))
		t.Say("    what to do: %s", terminal.Clean(c.Remedy))
	}
	t.SayWhen(f.CannotMore > 0, "  and %s", words.Count(f.CannotMore, "more page"))
	t.SayWhen(f.Unexamined, "there may be more pages, which were not examined")
	for _, h := range f.Holds {
		t.Say("%s: it is %s now, so the condition holds already; --now sends a message", terminal.Clean(h.Title),
			terminal.Clean(h.Value))
	}
	t.SayWhen(f.HoldsMore > 0, "and on %s", words.Count(f.HoldsMore, "more page"))
}

// sayRuleChecks says how often the pages of a rule are checked at least, if it says so, what that costs, and which run
// moves their next checks.
func sayRuleChecks(t *terminal.Terminal, r api.Rule) {
	t.SayWhen(r.Every != "", "each of its pages is checked at least every %s: %s", r.Every, form.Cost(r.Every))
	t.SayWhen(r.Run != "", "their next checks are being moved, by the run %s", r.Run)
}

// sayTest says what a rule would have sent.
func sayTest(t *terminal.Terminal, got api.RuleTest) {
	t.Say("would have sent %s about %d of the newest %d changes", words.Count(got.Messages, "message"), got.Matched,
		got.Looked)
	sayFiring(t, got.Warning, got.Firing)
	t.SayWhen(got.Cost != "", "checks cost the site %s for each page", got.Cost)
	t.SayWhen(got.Partial, "the test ended early because the regular expressions take too long")
	for _, c := range got.Changes {
		t.Say("%s  %s  %s", terminal.Minute(c.At), terminal.Clean(string(c.Kind)),
			terminal.Clean(cmp.Or(c.URL, c.Title, c.ItemID, c.EntryID)))
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
		where := terminal.When(m.Channel != "", " to %s (%s)", terminal.Clean(m.Channel), terminal.Clean(m.Service))
		t.Say("\nthe message%s about %s:", where, about)
		t.SayWhen(m.Title != "", "  %s", terminal.Clean(m.Title))
		for line := range strings.SplitSeq(m.Text, "\n") {
			t.Say("  %s", terminal.Clean(line))
		}
		t.SayWhen(m.Cut, "  (cut: %s does not take all of it)", terminal.Clean(firstOf(m.Service, "a service")))
	}
}

const channelsExample = `  tidemark channels add ops --webhook https://ops.example/hook
  tidemark channels add chat --service CHAT    # CREDENTIAL_CHAT=secret slack://…
  tidemark channels add phone --kind ntfy --field topic=tides --field token=- < token.txt
  tidemark channels test ops`

const channelsLong = `A channel is a way to notify people or programs of changes: a webhook, signed by
Standard Webhooks, or a service such as Slack, Matrix or mail, with the fields that
"tidemark docs channels" lists. A value - of a field is a line of the standard input.
The address of a service may also be in a setting, CREDENTIAL_NAME=secret ADDRESS.`

func channelsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	list := func(ctx context.Context, _ []string) error {
		got, err := api.ListChannels.Call(ctx, s.Client(), api.None{})
		if err != nil {
			return err
		}
		return terminal.List(t, got.Channels, "no channels; `"+t.Name+" channels add NAME --webhook URL` makes one",
			"NAME\tKIND\tTO\tFROM\tPROBLEM", func(c api.Channel) string {
				to := firstOf(c.To, c.URL)
				if c.URLFrom != "" {
					to = strings.TrimSpace(c.Service + " " + c.URLFrom)
				}
				return terminal.Row(c.Name, c.Kind, to, c.Origin, channelProblem(t, c))
			})
	}
	cmd := command.New("channels\nSet how to notify people and programs\n\n"+channelsLong+"\n\n"+channelsExample,
		cobra.NoArgs, list)
	cmd.AddCommand(
		command.New("list\nList channels\n\n  tidemark channels list", cobra.NoArgs, list),
		command.New("show NAME\nShow everything about one channel\n\n  tidemark channels show ops", command.One("name"),
			func(ctx context.Context, args []string) error { return showChannel(ctx, t, s, args[0]) }),
		channelAdd(t, s), channelSet(t, s),
		channelTest(t, s),
		asked(s, "remove NAME\nRemove a channel\n\n  tidemark channels remove ops", command.One("name"),
			api.RemoveChannel, func(gone api.Channel) { t.Say("the channel %s is removed", terminal.Clean(gone.Name)) }))
	return cmd
}

const channelTestHelp = `test NAME
Send a test, and show the answer

With flags, the test is of the channel that they describe, and nothing is saved.

  tidemark channels test ops
  tidemark channels test ops --webhook https://other.example/hook`

// channelTest sends a test message. It returns an error if the receiver did not accept it, so that scripts see the
// failure.
func channelTest(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var read func(name string) (api.ChannelSpec, error)
	cmd := command.New(channelTestHelp, command.One("name"), func(ctx context.Context, args []string) error {
		spec, err := read(args[0])
		if err != nil {
			return err
		}
		said, err := api.TestChannel.Call(ctx, s.Client(), spec.Test())
		switch {
		case err != nil:
			return err
		case !said.OK:
			return errors.New("the receiver did not take it: " + terminal.Clean(answerText(said)))
		}
		t.Say("taken: %s", terminal.Clean(answerText(said)))
		return nil
	})
	read = wholeChannel(t, cmd.Flags(), false)
	return cmd
}

const deliveriesHelp = `deliveries
List messages to receivers, and send them again

List the messages to receivers: first the waiting ones, then the others, the newest
first. Each is tried for a day, and kept for 30 days.

  tidemark deliveries --state failed
  tidemark deliveries retry ID`

const retryHelp = `retry ID
Send a message again

  tidemark deliveries retry ID`

func deliveriesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.DeliveryQuery
	cmd := command.New(deliveriesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListDeliveries.Call(ctx, s.Client(), q)
		if err != nil {
			return err
		}
		return terminal.List(t, got.Deliveries, "no messages", "STATE\tMADE\tTO\tTRIES\tWHAT\tANSWER\tID",
			func(d api.Delivery) string {
				return terminal.Row(d.State, terminal.Minute(d.Created), d.Channel, fmt.Sprint(d.Attempts), d.Title,
					answerText(d.Answer), d.ID)
			})
	})
	f := cmd.Flags()
	f.StringVar(&q.State, "state", "", "only waiting, sent or failed")
	f.StringVar(&q.Rule, "rule", "", "only messages of the rule with this id")
	f.StringVar(&q.Channel, "channel", "", "only messages to this channel")
	f.IntVar(&q.Top, "top", 50, "how many, 1 to 500")
	cmd.AddCommand(asked(s, retryHelp, command.One("id"), api.RetryDelivery, func(d api.Delivery) {
		t.Say("%s is sent to %s again", terminal.Clean(d.Title), terminal.Clean(d.Channel))
	}))
	return cmd
}

// answerText describes the answer of a receiver in one line.
func answerText(a api.ReceiverAnswer) string {
	return terminal.Join(" ", a.Error, terminal.When(a.Status != 0, "%d", a.Status), a.Body)
}
