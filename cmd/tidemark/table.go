package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// row is a line of a table: texts as they are fit to print, numbers with their thousands apart.
func row(cells ...any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			texts[i] = clean(c)
		case int:
			texts[i] = words.Thousands(c)
		default:
			panic(fmt.Sprintf("a table has no cells of type %T", c))
		}
	}
	return strings.Join(texts, "\t")
}

// table writes rows in columns.
func table(out io.Writer, rows ...string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	return w.Flush()
}
