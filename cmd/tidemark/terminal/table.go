package terminal

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Row returns a line of a table. It cleans texts, and writes numbers with a comma between thousands.
func Row(cells ...any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			texts[i] = Clean(c)
		case int:
			texts[i] = words.Thousands(c)
		default:
			panic(fmt.Sprintf("a table has no cells of type %T", c))
		}
	}
	return strings.Join(texts, "\t")
}

// Table writes rows in columns.
func Table(out io.Writer, rows ...string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	return w.Flush()
}

// List prints a table with a row for each item, or a text if there are none. With --json it prints nothing.
func List[T any](t *Terminal, items []T, none, header string, row func(T) string) error {
	t.SayWhen(len(items) == 0, "%s", none)
	if t.JSON || len(items) == 0 {
		return nil
	}
	rows := []string{header}
	for _, item := range items {
		rows = append(rows, row(item))
	}
	return Table(t.Out, rows...)
}

// Megabytes formats a number of bytes in megabytes, rounded up, so that only zero bytes are 0 MB.
func Megabytes(n int64) string { return words.Thousands(int((n+1<<20-1)>>20)) + " MB" }
