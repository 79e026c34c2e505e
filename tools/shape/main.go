// Command shape measures the sizes of the parts of the code and their dependencies: lines of product code, long
// functions and files, wide lines, functions that reach many services, files of a package that all reach each other,
// packages, their imports and the depth of these, and names that are exported needlessly.
//
//	shape [-top N] [-knot PACKAGE] [-needless] [DIR]
//
// A line counts as code if it has anything besides comments and space. A package that cannot be type-checked is an
// error. With -needless, only the names are listed that are exported needlessly. Tests of this package enforce the
// limits.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// The limits of the tree. See CONTRIBUTING.md.
const (
	maxFileLines = 700 // lines of a file, of any kind
	maxFuncLines = 80  // lines of a function, of any kind
	maxColumns   = 120 // columns of a line without a raw string; a tab counts as one column
	maxServices  = 8   // services that a function reaches through one parameter
	maxKnotFiles = 12  // files of a package that all reach each other

	maxTemplateColumns = 160 // columns of a line of an HTML template
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "shape:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("shape", flag.ContinueOnError)
	top := flags.Int("top", 10, "how many of the largest to show")
	pkg := flags.String("knot", "", "show only by which names the files of this package reach each other")
	needless := flags.Bool("needless", false, "list only the names that are needlessly exported")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := filepath.Abs(cmp.Or(flags.Arg(0), "."))
	if err != nil {
		return err
	}
	m, err := measure(dir)
	if err != nil {
		return err
	}
	switch {
	case *needless:
		fmt.Fprintln(out, strings.Join(m.Figures.Needless, "\n"))
		return nil
	case *pkg == "":
		m.write(out, *top)
		return nil
	}
	for _, k := range m.Knots {
		if k.Package == *pkg {
			fmt.Fprintln(out, k)
			fmt.Fprintln(out, strings.Join(k.Arrows, "\n"))
		}
	}
	return nil
}

// kind is the purpose of a file.
type kind string

// A file belongs to the product, to its tests, or to development tools.
const (
	product kind = "product"
	testing kind = "tests and their support"
	tools   kind = "development tools"
)

// A piece is a named part of the code with its size.
type piece struct {
	Name string // name with its position
	Size int
	Kind kind
}

// measures are the sizes of all parts of a tree.
type measures struct {
	Lines map[kind]int // number of lines of code
	Files []piece      // size in lines of any kind
	Funcs []piece      // size in lines of any kind
	Wide  []piece      // lines wider than maxColumns, or maxTemplateColumns in templates
	// Services has, for each function of the product, the number of services that it reaches through one parameter.
	Services []piece
	Knots    []knot // knots of the product's packages
	Figures  figures
}

func (m *measures) write(out io.Writer, top int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, k := range []kind{product, testing, tools} {
		fmt.Fprintf(w, "%s\t%d lines of code\n", k, m.Lines[k])
	}
	m.Figures.write(w, m.Lines[product])
	sizes := make([]int, len(m.Funcs))
	for i, f := range m.Funcs {
		sizes[i] = f.Size
	}
	slices.Sort(sizes)
	if n := len(sizes); n > 0 {
		fmt.Fprintf(w, "functions\tmedian %d lines, 90th percentile %d\n", sizes[n/2], sizes[n*9/10])
	}
	fmt.Fprintf(w, "wide lines\t%d of more than %d columns, or %d in a template\n", len(m.Wide), maxColumns,
		maxTemplateColumns)
	for _, list := range []struct {
		name   string
		pieces []piece
	}{
		{"lines in a file", m.Files}, {"lines in a function", m.Funcs}, {"columns of a line", m.Wide},
		{"services reached through one parameter", m.Services},
	} {
		fmt.Fprintf(w, "\n%s\n", list.name)
		for _, p := range largest(list.pieces)[:min(top, len(list.pieces))] {
			fmt.Fprintf(w, "%d\t%s\n", p.Size, p.Name)
		}
	}
	fmt.Fprintf(w, "\nlargest set of files of a package that all reach each other\n")
	slices.SortStableFunc(m.Knots, func(a, b knot) int { return cmp.Compare(len(b.Files), len(a.Files)) })
	for _, k := range m.Knots[:min(top, len(m.Knots))] {
		fmt.Fprintln(w, k)
	}
}

// largest sorts pieces, the largest first.
func largest(pieces []piece) []piece {
	return slices.SortedStableFunc(slices.Values(pieces), func(a, b piece) int { return cmp.Compare(b.Size, a.Size) })
}
