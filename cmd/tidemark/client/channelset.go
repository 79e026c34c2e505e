package client

import (
	"bufio"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	services "github.com/tidemark/tidemark/pkg/notify/form"
)

// channelFlags adds the flags that describe a channel, and returns a function that reads what was asked for. What goes
// to a webhook, or to an address in a setting, is of that kind alone.
func channelFlags(t *terminal.Terminal, f *pflag.FlagSet) (set *changes, read func() (api.Patch, error)) {
	set = changesOf(f, form.Of[api.ChannelSettings]())
	return set, func() (api.Patch, error) {
		p, err := set.patch()
		if err != nil {
			return nil, err
		}
		service, webhook := p.Sets("urlFrom"), p.Sets("url")
		switch {
		case p.Sets("kind"):
		case service && (webhook || p.Sets("secret")):
			return nil, command.Usagef("--service is of a service, --webhook and --secret are of a webhook: give one of them")
		case service:
			p["kind"], p["url"], p["secret"], p["fields"] = "shoutrrr", nil, nil, nil
		case webhook:
			p["kind"], p["urlFrom"], p["fields"] = "webhook", nil, nil
		}
		return p, readSecrets(t, p)
	}
}

// readSecrets replaces each field of a service whose value is "-" by a line of the standard input.
func readSecrets(t *terminal.Terminal, p api.Patch) error {
	fields, _ := p["fields"].(api.Patch)
	lines := bufio.NewScanner(t.In)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name] != "-" {
			continue
		}
		if !lines.Scan() {
			return command.Usagef("--field %s=- needs a line of the standard input", name)
		}
		fields[name] = strings.TrimSpace(lines.Text())
	}
	return lines.Err()
}

// wholeChannel adds the flags that describe a channel, and returns a function that reads the whole of it. Unless they
// are needed, its name may stand alone.
func wholeChannel(t *terminal.Terminal, f *pflag.FlagSet, needed bool) func(string) (api.ChannelSpec, error) {
	_, read := channelFlags(t, f)
	return func(name string) (spec api.ChannelSpec, err error) {
		spec.Name = name
		p, err := read()
		if err == nil && !p.Sets("kind") && (needed || len(p) > 0) {
			err = command.Usagef("give --webhook URL, --service NAME, or --kind KIND with --field NAME=VALUE")
		}
		if err == nil {
			err = p.Apply(&spec.ChannelSettings)
		}
		return spec, err
	}
}

func channelAdd(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var read func(name string) (api.ChannelSpec, error)
	run := func(ctx context.Context, args []string) error {
		spec, err := read(args[0])
		if err != nil {
			return err
		}
		made, err := api.AddChannel.Call(ctx, s.Client(), spec)
		if err == nil {
			sayChannel(t, made, "made")
		}
		return err
	}
	cmd := command.New("add NAME\nMake a channel\n\n"+channelsExample, command.One("name"), run)
	read = wholeChannel(t, cmd.Flags(), true)
	return cmd
}

const channelSetHelp = `set NAME
Change a channel; other settings stay

  tidemark channels set ops --webhook https://other.example/hook
  tidemark channels set ops --secret OPS
  tidemark channels set mail --field to=anna@example.com --field password=- < password.txt`

func channelSet(t *terminal.Terminal, s *command.Server) *cobra.Command {
	const such = "--webhook URL or --field to=ADDRESS"
	return setting(channelSetHelp, "name", such, func(f *pflag.FlagSet) func() (api.Patch, error) {
		set, read := channelFlags(t, f)
		set.clears(f)
		return read
	}, func(ctx context.Context, name string, p api.Patching) error {
		made, err := api.PatchChannel.Call(ctx, s.Client(), api.ChannelPatch{Name: name, Patching: p})
		if err == nil {
			sayChannel(t, made, "changed")
		}
		return err
	})
}

// showChannel prints all that is known of a channel.
func showChannel(ctx context.Context, t *terminal.Terminal, s *command.Server, name string) error {
	got, err := api.ListChannels.Call(ctx, s.Client(), api.None{})
	at := slices.IndexFunc(got.Channels, func(c api.Channel) bool { return c.Name == name })
	switch {
	case err != nil:
		return err
	case at < 0:
		return command.Usagef("there is no channel %.64q; `%s channels list` names them", name, t.Name)
	}
	c := got.Channels[at]
	service, _ := services.Of(c.Kind)
	all := []field{{"name", c.Name}, {"problem", channelProblem(t, c)}}
	for _, fact := range form.Facts(c.ChannelSettings) {
		if f, known := service.Field(strings.TrimPrefix(fact.Path, services.Prefix)); known {
			fact.Label = f.Label
		}
		all = append(all, field{fact.Lowered(), fact.Value})
	}
	sayFields(t, append(all, field{"sent to", c.To}, field{"stored secrets", strings.Join(c.Secrets, ", ")},
		field{"edited in", c.Origin}))
	return nil
}

// channelProblem says why nothing is sent to a channel at present.
func channelProblem(t *terminal.Terminal, c api.Channel) string {
	if c.RestsUntil.After(t.Now()) {
		return strings.TrimSpace(c.Problem + " next try at " + terminal.Minute(c.RestsUntil))
	}
	return c.Problem
}

// sayChannel prints what was done to a channel, and the channel's secret if a new one was made.
func sayChannel(t *terminal.Terminal, c api.Channel, became string) {
	if c.SigningSecret != "" {
		t.Say("the channel %s is signed by:\n\n  %s\n", terminal.Clean(c.Name), terminal.Clean(c.SigningSecret))
		t.Say("It is not shown again. The receiver needs it to know who sends.")
	} else {
		t.Say("the channel %s is %s", terminal.Clean(c.Name), became)
	}
	t.SayWhen(c.Problem != "", "nothing can be sent yet: %s", terminal.Clean(c.Problem))
}
