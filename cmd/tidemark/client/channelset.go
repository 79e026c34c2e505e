package client

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// channelFlags are the flags that describe a channel.
type channelFlags struct{ webhook, secret, service string }

func (g *channelFlags) add(f *pflag.FlagSet) {
	f.StringVar(&g.webhook, "webhook", "", "address of a webhook")
	f.StringVar(&g.secret, "secret", "", "NAME of the setting with the webhook's secret; by default a secret is made")
	f.StringVar(&g.service, "service", "", "NAME of the setting with the address of a service")
}

func channelAdd(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var g channelFlags
	cmd := &cobra.Command{Use: "add NAME", Short: "Make a channel", Args: command.One("name"), Example: channelsExample}
	g.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		spec := api.ChannelSpec{Name: args[0], Kind: "webhook", URL: g.webhook, Secret: g.secret}
		if (g.webhook == "") == (g.service == "") {
			return command.Usagef("give --webhook URL or --service NAME")
		}
		if g.service != "" {
			spec.Kind, spec.URLFrom = "shoutrrr", g.service
		}
		made, err := api.AddChannel.Call(cmd.Context(), s.Client(), spec)
		if err == nil && !t.JSON {
			showChannel(t, made, "made")
		}
		return err
	}
	return cmd
}

func channelSet(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var g channelFlags
	cmd := &cobra.Command{Use: "set NAME", Short: "Change a channel; other settings stay", Args: command.One("name"),
		Example: "  tidemark channels set ops --webhook https://other.example/hook\n  tidemark channels set ops --secret OPS"}
	g.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := cmd.Flags().Changed
		switch {
		case cmd.Flags().NFlag() == 0:
			return command.Usagef("give what changes: --webhook URL, --service NAME or --secret NAME")
		case given("service") && (given("webhook") || given("secret")):
			return command.Usagef("--service is of a service, --webhook and --secret are of a webhook: give one of them")
		}
		spec, err := findChannel(cmd.Context(), t, s, args[0])
		if err != nil {
			return err
		}
		if given("service") {
			spec.Kind, spec.URLFrom, spec.URL, spec.Secret, spec.Fields = "shoutrrr", g.service, "", "", nil
		}
		if given("webhook") {
			spec.Kind, spec.URL, spec.URLFrom, spec.Fields = "webhook", g.webhook, "", nil
		}
		if given("secret") {
			spec.Secret = g.secret
		}
		made, err := api.SaveChannel.Call(cmd.Context(), s.Client(), api.ChannelUpdate(spec))
		if err == nil && !t.JSON {
			showChannel(t, made, "changed")
		}
		return err
	}
	return cmd
}

// findChannel returns the present settings of a channel.
func findChannel(ctx context.Context, t *terminal.Terminal, s *command.Server, name string) (api.ChannelSpec, error) {
	got, err := api.ListChannels.Call(ctx, s.Silent(), api.None{})
	if err != nil {
		return api.ChannelSpec{}, err
	}
	for _, c := range got.Channels {
		if c.Name == name {
			return c.ChannelSpec, nil
		}
	}
	return api.ChannelSpec{}, command.Usagef("there is no channel %.64q; `%s channels list` names them", name, t.Name)
}

// showChannel prints what was done to a channel, and the channel's secret if a new one was made.
func showChannel(t *terminal.Terminal, c api.Channel, became string) {
	if c.SigningSecret != "" {
		t.Say("the channel %s is signed by:\n\n  %s\n", terminal.Clean(c.Name), terminal.Clean(c.SigningSecret))
		t.Say("It is not shown again. The receiver needs it to know who sends.")
	} else {
		t.Say("the channel %s is %s", terminal.Clean(c.Name), became)
	}
	if c.Problem != "" {
		t.Say("nothing can be sent yet: %s", terminal.Clean(c.Problem))
	}
}
