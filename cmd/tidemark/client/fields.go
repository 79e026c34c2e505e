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

const fieldsLong = `Show the values that Tidemark reads from a page, such as its price: the present, the
first, the lowest and the highest value, and what the last check found. With the name
of a value, show its history, newest last.

STATE is "value" if the last check found a value, "disappeared" if its place on the
page is empty, "unread" if the text there could not be read as a value, and "gone" if
the page no longer has that place.

--csv writes the whole history as CSV.`

const fieldsExample = `  tidemark fields https://shop.example/lamp
  tidemark fields https://shop.example/lamp price
  tidemark fields https://shop.example/lamp price --csv > price.csv`

func fieldsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var csv bool
	var top int
	cmd := &cobra.Command{
		Use:     "fields ID|SOURCE [NAME]",
		Short:   "Show the values of one page, or the history of a value",
		Long:    fieldsLong,
		Example: fieldsExample,
		Args:    command.OneOrTwo("id or source", "name of a value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of := func(flag string) bool { return cmd.Flags().Changed(flag) }
			switch {
			case len(args) == 1 && (csv || of("top")):
				return command.Usagef("--csv and --top are for the history of one value: give its name, too")
			case len(args) == 1:
				return showValues(cmd.Context(), t, s, args[0])
			case csv && (t.JSON || of("top")):
				return command.Usagef("--csv writes the whole history as CSV: leave --json and --top out")
			case top < 1 || top > maxValues:
				return command.Usagef("--top is %d: give 1 to %d", top, maxValues)
			}
			q := api.FieldQuery{Name: args[1], Top: top}
			if csv {
				q = api.FieldQuery{Name: args[1], Format: "csv"}
			}
			return valueHistory(cmd.Context(), t, s, args[0], q)
		},
	}
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
	if text := unreadDataText(item.UnreadData); text != "" {
		t.Note("%s", terminal.Clean(text))
	}
	if len(item.Fields) == 0 {
		t.Say("no values have been read from this page; to read one, use `%s watch URL --field`", t.Name)
		return nil
	}
	rows := []string{"NAME\tVALUE\tSINCE\tFIRST\tLOWEST\tHIGHEST\tSTATE"}
	for _, name := range slices.Sorted(maps.Keys(item.Fields)) {
		f := item.Fields[name]
		since := ""
		if !f.At.IsZero() {
			since = f.At.Format(time.DateOnly)
		}
		state := f.State
		if why := cmp.Or(f.Why, lastText(f)); why != "" {
			state += ": " + why
		}
		rows = append(rows, terminal.Row(name, cmp.Or(f.Text, "none"), since, pointText(f.First), pointText(f.Lowest),
			pointText(f.Highest), state))
	}
	return terminal.Table(t.Out, rows...)
}

// lastText says what a value was before it disappeared; "" if that is not known.
func lastText(f api.ItemField) string {
	if f.Last == "" {
		return ""
	}
	return "it was " + f.Last
}

// pointText describes a value that a field had.
func pointText(p *api.FieldPoint) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s on %s", p.Text, p.At.Format(time.DateOnly))
}

// valueHistory shows the history of a value, or writes it as CSV.
func valueHistory(ctx context.Context, t *terminal.Terminal, s *command.Server, name string, q api.FieldQuery) error {
	item, err := itemFrom(ctx, s, s.Silent(), name)
	if err != nil {
		return err
	}
	if q.ID = item.ID; q.Format == "csv" {
		return api.Export(ctx, s.Silent(), api.GetFieldCSV, q, t.Out)
	}
	past, err := api.GetField.Call(ctx, s.Client(), q)
	if err != nil || t.JSON {
		return err
	}
	if n := past.Older; n > 0 {
		t.Note("%s before these: see --top, or --csv for all", words.Count(n, "value"))
	}
	if n := past.NotKept; n > 0 {
		t.Note("%s before are not kept any more", words.Count(n, "value"))
	}
	for _, e := range past.Entries {
		text := cmp.Or(e.Text, "none")
		if e.Why != "" {
			text += ": " + e.Why
		}
		t.Say("%s  %s", terminal.Stamp(e.At), terminal.Clean(text))
	}
	return nil
}
