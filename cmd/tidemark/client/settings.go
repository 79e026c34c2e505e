package client

import (
	"context"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// settingFlags are the settings of a source or a tag, as flags.
type settingFlags struct {
	every, schedule, zone, hours string
	days                         []string
	priority                     int
	watch                        api.Watch
	fields                       []string
	rendering                    api.Rendering
}

func (s *settingFlags) add(f *pflag.FlagSet) {
	f.StringVar(&s.every, "every", "", "bounds of the time between checks: `1h..7d`, 1h.., or 1h for a fixed time")
	f.StringVar(&s.schedule, "schedule", "", "when to check it: \"daily at 9am\", \"mondays at 08:30\", or a cron "+
		"expression")
	f.StringVar(&s.hours, "hours", "", "only in these hours of a day: `08:00-18:00`")
	f.StringSliceVar(&s.days, "days", nil, "only on these days: `mon,tue`")
	f.StringVar(&s.zone, "timezone", "", "time zone of --schedule and --hours: `Europe/Paris`; UTC by default")
	f.IntVar(&s.priority, "priority", -1, "from 0 (last) to 9 (first); 5 by default")
	f.StringArrayVar(&s.watch.Include, "include", nil, "CSS `SELECTOR` of the parts to watch, or for JSON a JSONPath; "+
		"may be repeated")
	f.StringArrayVar(&s.watch.Exclude, "exclude", nil, "CSS `SELECTOR` of parts not to watch, or for JSON a JSONPath; "+
		"may be repeated")
	f.StringArrayVar(&s.watch.Ignore, "ignore", nil, "regular `EXPRESSION` of lines that do not count; may be repeated")
	f.StringVar(&s.watch.List, "list", "", "watch it as a list: tell (report new entries), add (also register "+
		"them) or addAll (register all entries)")
	f.StringArrayVar(&s.watch.ListLinks, "list-links", nil, "CSS `SELECTOR` of the links of a list's entries, or "+
		"for JSON a JSONPath; may be repeated")
	f.StringVar(&s.watch.Trigger, "trigger", "", "a change counts only if this regular `EXPRESSION` matches the "+
		"watched text")
	f.StringArrayVar(&s.fields, "field", nil, "a `VALUE` to read from the page: price:money=css:.price, or price alone "+
		"for the price that the page declares; may be repeated")
	addRendering(f, &s.rendering)
}

// settings returns the settings that the user's flags set.
func (s *settingFlags) settings() (out api.TagSettings, err error) {
	if s.every != "" {
		least, most, bounds := strings.Cut(s.every, "..")
		if !bounds {
			most = least
		}
		out.Interval = &api.Interval{Min: least, Max: most}
	}
	if s.schedule != "" {
		out.Schedule = &api.Schedule{Text: s.schedule, Timezone: s.zone}
		if strings.ContainsAny(s.schedule, "*/") || len(strings.Fields(s.schedule)) == 5 && s.schedule[0] <= '9' {
			out.Schedule = &api.Schedule{Cron: s.schedule, Timezone: s.zone}
		}
	}
	if s.hours != "" || len(s.days) > 0 {
		from, to, found := strings.Cut(s.hours, "-")
		if s.hours != "" && !found {
			return out, command.Usagef("--hours is %q: give two times of day, as 08:00-18:00", s.hours)
		}
		out.ActiveHours = &api.ActiveHours{From: from, To: to, Days: s.days, Timezone: s.zone}
	}
	if s.priority >= 0 {
		out.Priority = &s.priority
	}
	if s.watch.Fields, err = api.ParseFieldLines(s.fields); err != nil {
		return out, command.Usagef("--field: %v", err)
	}
	if w := s.watch; len(w.Fields)+len(w.Include)+len(w.Exclude)+len(w.Ignore) > 0 || w.Trigger != "" || w.List != "" ||
		len(w.ListLinks) > 0 {
		out.Watch = &w
	}
	out.Rendering = s.rendering
	return out, nil
}

const watchLong = `Watch pages: register URLs, and set how often and when they are checked, and which
part of them counts. URLs that are already registered also get these settings, and
are checked now.

A source's own settings override those of its tags (see "tidemark tag"), and those
override the settings of the app.

For one known source, --ignore and --ignore-text add lines that do not count, and
print which changes they would have silenced in the last 30 captures. --preview only
prints them and stores nothing. --accept ends a broken watch.`

const watchExample = `  tidemark watch https://example.com/prices --every 1h..7d --tag shop
  tidemark watch https://example.com/news --schedule "weekdays at 9am" --timezone Europe/Paris
  tidemark watch https://example.com/jobs --include main --ignore "^[0-9]+ views$"
  tidemark watch https://example.com/app --render always --wait-for "#prices"
  tidemark watch https://example.com/lamp --field "price:money=css:.price" --field availability
  tidemark watch https://example.com/jobs --pause
  tidemark watch url_k7gxn3… --ignore-text "17 people look at this" --preview
  tidemark watch url_k7gxn3… --undo`

func watchCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var flags settingFlags
	var tags []string
	var pause, resume bool
	var o api.AddOptions
	var refine refineFlags
	cmd := &cobra.Command{
		Use: "watch URL…|ID", Short: "Watch pages, and set how", Long: watchLong, Example: watchExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if refine.meant(args) {
				return refine.run(t, s, cmd, args, flags.watch.Ignore)
			}
			if pause && resume {
				return command.Usagef("give --pause or --resume, not both")
			}
			set, err := flags.settings()
			if err != nil {
				return err
			}
			o.Settings = api.ItemSettings{Tags: tags, Watch: set.Watch, Interval: set.Interval, Schedule: set.Schedule,
				ActiveHours: set.ActiveHours, Priority: set.Priority, Rendering: set.Rendering}
			if pause || resume {
				o.Settings.Paused = &pause
			}
			a := &adding{t: t, send: s.Client().AddURLs, options: o, noun: "URL"}
			return a.run(cmd.Context(), args, "")
		},
	}
	flags.add(cmd.Flags())
	refine.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "all `TAGS` of the source, separated by commas; may be repeated")
	cmd.Flags().BoolVar(&pause, "pause", false, "check it only on request")
	cmd.Flags().BoolVar(&resume, "resume", false, "end a pause")
	addFlags(cmd, &o)
	return cmd
}

const tagLong = `Tags are words on sources. A tag can set how often and when its sources are checked,
and which part of them counts. Its settings apply to sources that have no such
setting of their own. If several tags set the same, the first by name wins.`

const tagExample = `  tidemark tag set shop --every 1h..1d --hours 08:00-20:00
  tidemark tag apply shop https://example.com/prices
  tidemark tag list
  tidemark items --tag shop`

func tagCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tag", Short: "Set what tags do, and tag sources", Long: tagLong, Example: tagExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var flags settingFlags
	set := &cobra.Command{Use: "set NAME", Short: "Set all settings of a tag", Args: command.One("name"),
		Example: tagExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := flags.settings()
			if err != nil {
				return err
			}
			tag, err := api.SaveTag.Call(cmd.Context(), s.Client(), api.TagRequest{Name: args[0], TagSettings: set})
			if err == nil {
				t.Say("the tag %s sets: %s", terminal.Clean(tag.Name), describe(tag.TagSettings))
			}
			return err
		}}
	flags.add(set.Flags())
	cmd.AddCommand(set,
		&cobra.Command{Use: "list", Short: "List the tags that have settings", Args: cobra.NoArgs, Example: tagExample,
			RunE: func(cmd *cobra.Command, _ []string) error { return listTags(cmd.Context(), t, s) }},
		&cobra.Command{Use: "remove NAME", Short: "Remove all settings of a tag", Args: command.One("name"),
			Example: tagExample,
			RunE: func(cmd *cobra.Command, args []string) error {
				tag, err := api.RemoveTag.Call(cmd.Context(), s.Client(), api.TagName{Name: args[0]})
				if err == nil {
					t.Say("the tag %s sets nothing any more", terminal.Clean(tag.Name))
				}
				return err
			}},
		&cobra.Command{Use: "apply NAME URL…", Short: "Tag sources; unknown ones are registered",
			Args: cobra.MinimumNArgs(2), Example: tagExample,
			RunE: func(cmd *cobra.Command, args []string) error { return applyTag(cmd.Context(), t, s, args[0], args[1:]) }})
	return cmd
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
	switch {
	case err != nil || t.JSON:
		return err
	case len(got.Tags) == 0:
		t.Say("no tag sets anything; `%s tag set NAME --every 1h..7d` has one do so", t.Name)
		return nil
	}
	rows := []string{"TAG\tSETS"}
	for _, t := range got.Tags {
		rows = append(rows, terminal.Row(t.Name, describe(t.TagSettings)))
	}
	return terminal.Table(t.Out, rows...)
}

// describe lists the settings in one line.
func describe(s api.TagSettings) string {
	var said []string
	if i := s.Interval; i != nil {
		said = append(said, "every "+bounds(i))
	}
	if c := s.Schedule; c != nil {
		said = append(said, whenText(c))
	}
	if a := s.ActiveHours; a != nil {
		said = append(said, "only "+hoursText(a))
	}
	if s.Priority != nil {
		said = append(said, "priority "+priorityText(s.Priority))
	}
	if w := s.Watch; w != nil {
		part := *w
		if part.Fields = nil; !reflect.ValueOf(part).IsZero() {
			said = append(said, "a part of the page")
		}
		if n := len(w.Fields); n > 0 {
			said = append(said, words.Count(n, "value")+" of the page")
		}
	}
	for _, f := range renderingTexts(s.Rendering) {
		if f.value != "" {
			said = append(said, renderingNames[f.name]+" "+f.value)
		}
	}
	if len(said) == 0 {
		return "nothing"
	}
	return terminal.Clean(strings.Join(said, "; "))
}

const bulkLong = `Apply one action to many sources: tag, untag, check, pause, resume or remove. Select
the sources by their ids, or by --host, --status, --has-tag and --paused, which must
all match. --all selects all sources. The server does the work after this command
ends.`

const bulkExample = `  tidemark bulk pause --host example.com
  tidemark bulk tag --tag news --status Indexed --host example.com
  tidemark bulk check url_k7gxn3… url_a2bcd4…
  tidemark bulk remove --has-tag old`

func bulkCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var f api.ItemFilter
	var status, tag string
	cmd := &cobra.Command{
		Use: "bulk OP [ID…]", Short: "Apply one action to many sources", Long: bulkLong, Example: bulkExample,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
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
			return startBulk(cmd.Context(), t, s, q)
		},
	}
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
	if err == nil {
		t.Say("begun: %s", terminal.Clean(run.ID))
	}
	return err
}
