package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const settingsHelp = `settings [NAME…]
Show the settings, where each comes from, and what it may be

Show the settings that this command reads, and a server that is started by the same
user with the same environment and --data. A value comes from the environment, else
from the file tidemark.yaml below --data (or where TIDEMARK_CONFIG says), else it is
the default. Secrets are not shown. With names, show what these settings mean.

  tidemark settings
  tidemark settings PORT LISTEN
  tidemark settings set CRAWL_CONTACT mailto:me@example.com
  sudo tidemark settings --data /var/lib/tidemark`

const setHelp = `set NAME VALUE
Change a setting in the settings file

Change a setting in the settings file, which is made if it is missing. All settings
are checked as at a start. Comments and the order of the file stay. An empty value
takes the setting out of the file.

  tidemark settings set PORT 8080
  tidemark settings set PORT ''`

func settingsCommand(t *terminal.Terminal, src *app.Sources) *cobra.Command {
	var data string
	set := command.New(setHelp, cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		return changeSetting(ctx, t, src, data, args[0], args[1])
	})
	cmd := command.New(settingsHelp, cobra.ArbitraryArgs, func(_ context.Context, args []string) error {
		return showSettings(t, src, args)
	})
	cmd.AddCommand(set)
	folder.DataFlag(cmd.Flags(), src.Get, &data)
	folder.DataFlag(set.Flags(), src.Get, &data)
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, s := range app.Settings {
			out = append(out, s.Name)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.ValidArgsFunction, set.ValidArgsFunction = names, names
	return cmd
}

// showSettings lists all settings, or explains those that are named.
func showSettings(t *terminal.Terminal, src *app.Sources, names []string) error {
	all := src.Shown()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s api.ServerSetting) bool { return s.Name == name }) {
			return app.CheckName(name)
		}
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s api.ServerSetting) bool { return !slices.Contains(names, s.Name) })
	}
	if t.JSON {
		return json.NewEncoder(t.Out).Encode(api.ServerSettings{Settings: all})
	}
	if len(names) > 0 {
		for _, s := range all {
			t.Say("%s=%s (%s)\n  %s.\n  Allowed is %s. A change takes effect %s.", s.Name,
				terminal.Clean(s.Value), s.From, app.MeaningOf(s.Name), s.Allowed, effective(s))
		}
		return nil
	}
	if err := terminal.List(t, all, "", "NAME\tVALUE\tFROM\tALLOWED", func(s api.ServerSetting) string {
		return terminal.Row(s.Name, s.Value, s.From, s.Allowed)
	}); err != nil {
		return err
	}
	t.Say("\nThe file is %s. Changes take effect at the next start; a running server takes over some within a minute: %s.",
		src.Path, strings.Join(app.LiveSettings(), ", "))
	return nil
}

// effective says when a change of a setting takes effect.
func effective(s api.ServerSetting) string {
	if s.Restart {
		return "at the next start"
	}
	return "within a minute, also in a server that runs"
}

// changeSetting changes a setting in the file, unless that makes the settings worse.
func changeSetting(ctx context.Context, t *terminal.Terminal, src *app.Sources, data, name, value string) error {
	c, err := src.Change(name, value)
	if err != nil {
		return err
	}
	now := problemsOf(checkSettings(c.Sources))
	worse := slices.DeleteFunc(slices.Clone(now), func(said string) bool {
		return slices.Contains(problemsOf(checkSettings(src)), said)
	})
	if len(worse) > 0 {
		return fmt.Errorf("nothing was changed: %s", strings.Join(worse, "; "))
	}
	if app.FixesStore(name) && len(now) == 0 && admitted(ctx, src, data) == nil {
		if err := admitted(ctx, c.Sources, data); err != nil {
			return err
		}
	}
	if err := app.MakeDataFolder(filepath.Dir(c.Path)); err != nil {
		return err
	}
	if err := c.Save(); err != nil {
		return err
	}
	for _, s := range c.Shown() {
		if s.Name == name {
			t.Say("%s is now %s, in %s; it takes effect %s", name, cmp.Or(terminal.Clean(s.Value), "unset"), c.Path,
				effective(s))
		}
	}
	for _, said := range now {
		t.Note("still wrong: %s", said)
	}
	return nil
}

// admitted returns an error if a start with these settings would not find the items in the embedded store of a data
// folder. Other stores are not asked.
func admitted(ctx context.Context, src *app.Sources, data string) error {
	if kind, err := folder.KindOf(src.Get); err != nil || kind != folder.Embedded || !folder.HasEmbedded(data) {
		return nil
	}
	cfg, err := app.Load(src.Get, src.Names()...)
	if err != nil {
		return err
	}
	return onStoreOf(ctx, data, folder.Embedded, src.Get, func(ctx context.Context, s storage.Store) error {
		return app.CheckForm(ctx, cfg, s)
	})
}

// checkSettings returns everything that is wrong with settings, as a start reports it.
func checkSettings(src *app.Sources) error {
	_, at := listenAt(src.Get, portText(src.Get))
	_, err := app.Load(src.Get, src.Names()...)
	return together(folder.CheckSettings(src.Get), at, err)
}

// problemsOf returns the problems that an error of settings lists.
func problemsOf(err error) (said []string) {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			said = append(said, problemsOf(one)...)
		}
		return said
	}
	if all, ok := errors.AsType[app.Problems](err); ok {
		return all
	}
	return strings.Split(err.Error(), "\n") // a settings file has a mistake per line
}

// together makes one error of several, which lists all problems of settings in one line. One error stays as it is.
func together(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		if several, ok := errs[0].(interface{ Unwrap() []error }); !ok {
			return errs[0]
		} else if len(several.Unwrap()) == 1 {
			return several.Unwrap()[0]
		}
	}
	if all := problemsOf(errors.Join(errs...)); len(all) > 0 {
		return fault.New(fault.Invalid, "settings: %w", app.Problems(all))
	}
	return nil
}
