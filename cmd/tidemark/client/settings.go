package client

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// changes are the changes of settings that the flags of a command ask for.
type changes struct {
	form  *form.Form
	flags *form.Flags
	clear []string
}

// changesOf adds the flags of settings to a command, but for those of the settings below without.
func changesOf(f *pflag.FlagSet, of *form.Form, without ...string) *changes {
	c := &changes{form: of, flags: of.Flags(without...)}
	for _, one := range c.flags.All {
		flag := f.VarPF(one, one.Name, "", one.Usage)
		if one.IsSwitch() {
			flag.NoOptDefVal = "true"
		}
	}
	return c
}

// clears adds the flag that removes settings.
func (c *changes) clears(f *pflag.FlagSet) *changes {
	f.StringArrayVar(&c.clear, "clear", nil, "remove the setting with this `NAME`, such as trigger or interval.max; "+
		"may be repeated")
	return c
}

// into changes a request, given by a pointer, as was asked for.
func into[T any](request *T, c *changes) error {
	p, err := c.patch()
	if err == nil {
		err = c.flags.Check(p)
	}
	if err == nil {
		err = p.Apply(request)
	}
	if err != nil {
		return command.Usagef("%v", err)
	}
	return nil
}

// patch returns what was asked for.
func (c *changes) patch() (api.Patch, error) {
	p, err := c.flags.Patch()
	for _, name := range c.clear {
		if err == nil {
			err = c.form.Clear(p, name)
		}
	}
	if err != nil {
		return nil, command.Usagef("%v", err)
	}
	return p, nil
}

// setting returns a command that changes settings of what its argument names. The flags return what the changes are,
// and such is an example of them.
func setting(help, argument, such string, flags func(*pflag.FlagSet) func() (api.Patch, error),
	change func(ctx context.Context, name string, p api.Patching) error) *cobra.Command {
	var read func() (api.Patch, error)
	cmd := command.New(help, command.One(argument), func(ctx context.Context, args []string) error {
		p, err := read()
		if err == nil && len(p) == 0 {
			err = command.Usagef("give what changes, such as %s, or --clear NAME", such)
		}
		if err != nil {
			return err
		}
		return change(ctx, args[0], api.Patching{Patch: p})
	})
	read = flags(cmd.Flags())
	return cmd
}

// settingsOf adds the flags of all settings of a description, and of their removal.
func settingsOf(of *form.Form) func(*pflag.FlagSet) func() (api.Patch, error) {
	return func(f *pflag.FlagSet) func() (api.Patch, error) { return changesOf(f, of).clears(f).patch }
}

const watchHelp = `watch URL…|ID
Watch pages, and set how

Watch pages: register URLs, and set how often and when they are checked, and which
part of them counts. URLs that are already registered also get these settings, and
are checked now. Settings that are not named stay; --clear removes one.

A source's own settings override those of its tags (see "tidemark tag"), and those
override the settings of the app.

For one known source, --ignore, --ignore-text and --hunk add lines that do not count,
and print which changes they would have silenced in the last 30 captures. --preview
only prints them and stores nothing. --accept ends a broken watch. "tidemark pick"
chooses the parts of a page that are watched.

  tidemark watch https://example.com/prices --every 1h..7d --tag shop
  tidemark watch https://example.com/news --schedule "weekdays at 9am" --timezone Europe/Paris
  tidemark watch https://example.com/jobs --include main --ignore "^[0-9]+ views$"
  tidemark watch https://example.com/app --render always --wait-for "#prices"
  tidemark watch https://example.com/lamp --field "price:money=css:.price" --field availability
  tidemark watch https://example.com/jobs --pause
  tidemark watch url_k7gxn3… --ignore-text "17 people look at this" --preview
  tidemark watch https://example.com/jobs --clear trigger
  tidemark watch url_k7gxn3… --undo`

func watchCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var pause, resume bool
	var o api.AddOptions
	var refine refineFlags
	var set *changes
	var cmd *cobra.Command
	cmd = command.New(watchHelp, nil, func(ctx context.Context, args []string) (err error) {
		if o.Patch, err = set.patch(); err != nil {
			return err
		}
		if pause && resume {
			return command.Usagef("give --pause or --resume, not both")
		}
		if pause || resume {
			o.Patch.Set(pause, "paused")
		}
		if refine.meant(args, o.Patch) {
			return refine.run(t, s, cmd, args, o.Patch)
		}
		if len(args) == 1 && isID.MatchString(args[0]) {
			return patchItem(ctx, t, s, args[0], o.Patch)
		}
		a := &adding{t: t, send: s.Client().AddURLs, options: o, noun: "URL"}
		return a.run(ctx, args, "")
	})
	set = changesOf(cmd.Flags(), form.Of[api.ItemSettings](), "files").clears(cmd.Flags())
	refine.add(cmd.Flags())
	cmd.Flags().BoolVar(&pause, "pause", false, "check it only on request")
	cmd.Flags().BoolVar(&resume, "resume", false, "end a pause")
	addFlags(cmd, &o)
	return cmd
}

// patchItem changes settings of a known source.
func patchItem(ctx context.Context, t *terminal.Terminal, s *command.Server, id string, p api.Patch) error {
	it, err := api.PatchItem.Call(ctx, s.Client(), api.ItemPatch{ID: id, Patching: api.Patching{Patch: p}})
	if err == nil {
		t.Say("%s has the settings: %s", terminal.Clean(it.ID), inWords(it.Settings))
		sayReplaced(t, it.Replaced)
		sayUndo(t, it.Undo)
	}
	return err
}

const tagHelp = `tag
Set what tags do, and tag sources

Tags are words on sources. A tag can set how often and when its sources are checked,
and which part of them counts. Its settings apply to sources that have no such
setting of their own. If several tags set the same, the first by name wins.`

const tagExample = `  tidemark tag set shop --every 1h..1d --hours 08:00-20:00
  tidemark tag set shop --clear hours
  tidemark tag apply shop https://example.com/prices
  tidemark tag list
  tidemark items --tag shop`

func tagCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	help := func(use, short string) string { return use + "\n" + short + "\n\n" + tagExample }
	set := func(ctx context.Context, name string, p api.Patching) error {
		tag, err := api.PatchTag.Call(ctx, s.Client(), api.TagPatch{Name: name, Patching: p})
		if err == nil {
			t.Say("the tag %s sets: %s", terminal.Clean(tag.Name), inWords(tag.TagSettings))
			sayReplaced(t, tag.Replaced)
			sayUndo(t, tag.Undo)
		}
		return err
	}
	return command.Group(tagHelp+"\n\n"+tagExample,
		setting(help("set NAME", "Change settings of a tag; others stay"), "name", "--every 1h..7d",
			settingsOf(form.Of[api.TagSettings]()), set),
		command.New(help("list", "List the tags that have settings"), cobra.NoArgs,
			func(ctx context.Context, _ []string) error { return listTags(ctx, t, s) }),
		asked(s, help("show NAME", "Show what a tag sets, and since when"), command.One("name"), api.GetTag,
			func(tag api.Tag) { sayFields(t, factFields(t.Now(), form.OfTag(tag))) }),
		asked(s, help("remove NAME", "Remove all settings of a tag"), command.One("name"), api.RemoveTag,
			func(tag api.Tag) {
				t.Say("the tag %s sets nothing any more", terminal.Clean(tag.Name))
				sayUndo(t, tag.Undo)
			}),
		command.New(help("apply NAME URL…", "Tag sources; unknown ones are registered"), cobra.MinimumNArgs(2),
			func(ctx context.Context, args []string) error { return applyTag(ctx, t, s, args[0], args[1:]) }))
}

// applyTag adds a tag to sources, which keep the tags they already have.
func applyTag(ctx context.Context, t *terminal.Terminal, s *command.Server, tag string, urls []string) error {
	batch, err := s.Silent().AddURLs(ctx, urls, api.AddOptions{})
	if err != nil {
		return err
	}
	var ids []string
	for _, r := range batch.Items {
		if r.Item == nil {
			t.Note("%s: %s", terminal.Clean(r.Source), terminal.Clean(r.Error))
			continue
		}
		ids = append(ids, r.Item.ID)
	}
	if len(ids) == 0 {
		return command.Usagef("no source to tag")
	}
	return startBulk(ctx, t, s, api.BulkRequest{Op: "tag", Tag: tag, IDs: ids})
}

func listTags(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	got, err := api.ListTags.Call(ctx, s.Client(), api.None{})
	if err != nil {
		return err
	}
	return terminal.List(t, got.Tags, "no tag sets anything; `"+t.Name+" tag set NAME --every 1h..7d` has one do so",
		"TAG\tSETS", func(tag api.Tag) string { return terminal.Row(tag.Name, inWords(tag.TagSettings)) })
}

// inWords lists settings in one line.
func inWords[T any](settings T) string { return terminal.Clean(cmp.Or(form.Line(settings), "nothing")) }

// sayReplaced says which settings went because another was set in their place.
func sayReplaced(t *terminal.Terminal, names []string) {
	for _, name := range names {
		t.Say("its %s is removed, because each says when to check", terminal.Clean(name))
	}
}

const bulkHelp = `bulk OP [ID…]
Apply one action to many sources

Apply one action to many sources: tag, untag, check, pause, resume or remove. Select
the sources by their ids, or by --host, --status, --has-tag and --paused, which must
all match. --all selects all sources. The server does the work after this command
ends.

  tidemark bulk pause --host example.com
  tidemark bulk tag --tag news --status Indexed --host example.com
  tidemark bulk check url_k7gxn3… url_a2bcd4…
  tidemark bulk remove --has-tag old`

func bulkCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var f api.ItemFilter
	var status, tag string
	cmd := command.New(bulkHelp, cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (err error) {
		if f.Status, err = parseStatus(status); err != nil {
			return err
		}
		if tag != "" && args[0] != "tag" && args[0] != "untag" {
			return command.Usagef("--tag is what tag and untag put on and take off: choose sources by --has-tag")
		}
		q := api.BulkRequest{Op: args[0], Tag: tag, IDs: args[1:]}
		if len(q.IDs) == 0 {
			q.Filter = &f
		} else if f != (api.ItemFilter{}) {
			return command.Usagef("give ids, or say which sources are meant, not both")
		}
		return startBulk(ctx, t, s, q)
	})
	command.HostFlag(cmd.Flags(), &f.Host, "sources of this `HOST`")
	cmd.Flags().StringVar(&status, "status", "", "sources of this `STATUS`: "+statusNames())
	cmd.Flags().StringVar(&f.Tag, "has-tag", "", "sources that have this `TAG`")
	cmd.Flags().BoolVar(&f.Paused, "paused", false, "sources that are paused")
	cmd.Flags().BoolVar(&f.All, "all", false, "all sources")
	cmd.Flags().StringVar(&tag, "tag", "", "the `TAG` of tag and untag")
	return cmd
}

func startBulk(ctx context.Context, t *terminal.Terminal, s *command.Server, q api.BulkRequest) error {
	run, err := api.StartBulk.Call(ctx, s.Client(), q)
	t.SayWhen(err == nil, "begun: %s", terminal.Clean(run.ID))
	sayUndo(t, run.Undo)
	return err
}
