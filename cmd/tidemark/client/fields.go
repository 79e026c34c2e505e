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
	unread := terminal.Clean(unreadDataText(item.UnreadData))
	t.NoteWhen(unread != "", "%s", unread)
	none := fmt.Sprintf("no values have been read from this page; to read one, use `%s watch URL --field`", t.Name)
	header := "NAME\tVALUE\tSINCE\tFIRST\tLOWEST\tHIGHEST\tSTATE"
	return terminal.List(t, slices.Sorted(maps.Keys(item.Fields)), none, header, func(name string) string {
		f := item.Fields[name]
		why := cmp.Or(f.Why, terminal.When(f.Last != "", "it was %s", f.Last))
		return terminal.Row(name, cmp.Or(f.Text, "none"),
			terminal.When(!f.At.IsZero(), "%s", f.At.Format(time.DateOnly)), pointText(f.First), pointText(f.Lowest),
			pointText(f.Highest), terminal.Join(": ", f.State, why))
	})
}

// pointText describes a value that a field had.
func pointText(p *api.FieldPoint) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s on %s", p.Text, p.At.Format(time.DateOnly))
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
		t.Say("%s  %s", terminal.Stamp(e.At), terminal.Clean(text))
	}
	return nil
}

// unreadDataText says what was not read of the data that a page declares; "" if all was read.
func unreadDataText(u *api.UnreadData) string {
	switch {
	case u == nil:
		return ""
	case u.Blocks == 0:
		return "no values: " + u.Why
	}
	return words.Count(u.Blocks, "block") + " of the data that the page declares could not be read" +
		terminal.When(u.Blocks > 1, ", the first because") + ": " + u.Why +
		terminal.When(u.Text != "", ", at %q", u.Text)
}

// valueText describes a value: what it is and since when, what it was at first, at least and at most, and where it was
// read.
func valueText(now time.Time, f api.ItemField) string {
	text := cmp.Or(f.Text, "none") + terminal.When(!f.At.IsZero(), " since %s", terminal.Moment(now, f.At)) +
		terminal.When(f.State != "value", " (%s)", f.State) + terminal.When(f.Why != "", ": %s", f.Why)
	for _, p := range []struct {
		name  string
		point *api.FieldPoint
	}{{"first", f.First}, {"lowest", f.Lowest}, {"highest", f.Highest}} {
		if p.point != nil && f.Entries > 1 {
			text += "; " + p.name + " " + pointText(p.point)
		}
	}
	return text + terminal.When(f.Evidence.From != "", "; from %s %s", f.Evidence.From, f.Evidence.Path)
}
