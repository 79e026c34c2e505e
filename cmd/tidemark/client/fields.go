package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const fieldsHelp = `fields ID|SOURCE [NAME]
Show the values of one page, or the history of a value

Show the values that Tidemark reads from a page, such as its price: the present, the
first, the lowest and the highest value, and what the last check found. With the name
of a value, show its history, newest last.

STATE is "value" if the last check found a value, "disappeared" if its place on the
page is empty, "unread" if the text there could not be read as a value, and "gone" if
the page no longer has that place.

--csv writes the whole history as CSV.

  tidemark fields https://shop.example/lamp
  tidemark fields https://shop.example/lamp price
  tidemark fields https://shop.example/lamp price --csv > price.csv`

func fieldsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var csv bool
	var top int
	var cmd *cobra.Command
	cmd = command.New(fieldsHelp, nil, func(ctx context.Context, args []string) error {
		switch counted := cmd.Flags().Changed("top"); {
		case len(args) != 1 && len(args) != 2:
			return command.Usagef("give one id or source, and maybe a name of a value, not %d arguments", len(args))
		case len(args) == 1 && (csv || counted):
			return command.Usagef("--csv and --top are for the history of one value: give its name, too")
		case len(args) == 1:
			return showValues(ctx, t, s, args[0])
		case csv && (t.JSON || counted):
			return command.Usagef("--csv writes the whole history as CSV: leave --json and --top out")
		case top < 1 || top > maxValues:
			return command.Usagef("--top is %d: give 1 to %d", top, maxValues)
		}
		return valueHistory(ctx, t, s, args[0], api.FieldQuery{Name: args[1], Top: top}, csv)
	})
	cmd.Flags().BoolVar(&csv, "csv", false, "write the history of a value as CSV")
	cmd.Flags().IntVar(&top, "top", 50, "how many of the newest values")
	return cmd
}

// maxValues limits the values of a history that one request returns.
const maxValues = 5001

// showValues lists the values of a page.
func showValues(ctx context.Context, t *terminal.Terminal, s *command.Server, name string) error {
	item, err := getItem(ctx, s, name)
	if err != nil || t.JSON {
		return err
	}
	unread := terminal.Clean(form.Unread(item.UnreadData))
	t.NoteWhen(unread != "", "%s", unread)
	none := fmt.Sprintf("no values have been read from this page; to read one, use `%s watch URL --field`", t.Name)
	header := "NAME\tVALUE\tSINCE\tFIRST\tLOWEST\tHIGHEST\tSTATE"
	return terminal.List(t, slices.Sorted(maps.Keys(item.Fields)), none, header, func(name string) string {
		f := item.Fields[name]
		why := cmp.Or(f.Why, form.Last(f))
		return terminal.Row(name, cmp.Or(f.Text, "none"),
			terminal.When(!f.At.IsZero(), "%s", f.At.Format(time.DateOnly)), form.Point(f.First), form.Point(f.Lowest),
			form.Point(f.Highest), terminal.Join(": ", f.State, why))
	})
}

// valueHistory shows the history of a value, or writes it as CSV.
func valueHistory(ctx context.Context, t *terminal.Terminal, s *command.Server, name string, q api.FieldQuery,
	csv bool) error {
	item, err := itemFrom(ctx, s, s.Silent(), name)
	if err != nil {
		return err
	}
	if q.ID = item.ID; csv {
		q.Format, q.Top = "csv", 0
		return api.Export(ctx, s.Silent(), api.GetFieldCSV, q, t.Out)
	}
	past, err := api.GetField.Call(ctx, s.Client(), q)
	if err != nil || t.JSON {
		return err
	}
	t.NoteWhen(past.Older > 0, "%s before these: see --top, or --csv for all", words.Count(past.Older, "value"))
	t.NoteWhen(past.NotKept > 0, "%s before are not kept any more", words.Count(past.NotKept, "value"))
	for _, e := range past.Entries {
		text := terminal.Join(": ", cmp.Or(e.Text, "none"), e.Why)
		t.Say("%s  %s", words.Stamp(e.At), terminal.Clean(text))
	}
	return nil
}
