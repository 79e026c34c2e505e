// Command shape measures how large the pieces of the code are and how they depend on each other: lines of
// product code, long functions and files, wide lines, types with many methods, functions that reach many
// services, and files of a package that all reach each other.
//
//	shape [-top N] [-knot PACKAGE] [DIR]
//
// A line of code has something besides comment and space. Methods are those of a pointer to the type,
// promoted ones included. What a package lacks to be type-checked is an error. A test of this package holds
// the tree to its limits.
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

// No piece of the tree is larger than these. See CONTRIBUTING.md.
const (
	maxMethods   = 35  // of a type, promoted ones included
	maxFileLines = 450 // of any sort
	maxFuncLines = 80  // of any sort
	maxColumns   = 120 // of a line without a raw string; a tab is one
	maxServices  = 8   // that a function reaches through one parameter
	// Of a package, the largest set of files that all reach each other:
	maxKnotFiles = 12
	maxKnotLines = 2000 // of any sort

	maxTemplateColumns = 160 // of a line of an HTML template
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
	if *pkg == "" {
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

// kind tells what a file is for.
type kind string

// Files are of the product, of its tests, or for those who develop it.
const (
	product kind = "product"
	testing kind = "tests and their support"
	tools   kind = "development tools"
)

// piece is a named thing and its size.
type piece struct {
	Name string // with its place
	Size int
	Kind kind
}

// measures are the sizes of all pieces of a tree.
type measures struct {
	Lines map[kind]int // of code
	Files []piece      // in lines of any sort
	Funcs []piece      // in lines of any sort
	Wide  []piece      // lines of more than maxColumns, of templates maxTemplateColumns, with their width
	Types []piece      // of the product, in methods
	// Services of functions of the product: how many each reaches through one parameter.
	Services []piece
	Knots    []knot // of packages of the product, where files reach each other
}

func (m *measures) write(out io.Writer, top int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, k := range []kind{product, testing, tools} {
		fmt.Fprintf(w, "%s\t%d lines of code\n", k, m.Lines[k])
	}
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
		{"methods of a type of the product", m.Types}, {"lines in a file", m.Files},
		{"lines in a function", m.Funcs}, {"columns of a line", m.Wide},
		{"services reached through one parameter", m.Services},
	} {
		fmt.Fprintf(w, "\n%s\n", list.name)
		for _, p := range largest(list.pieces)[:min(top, len(list.pieces))] {
			fmt.Fprintf(w, "%d\t%s\n", p.Size, p.Name)
		}
	}
	fmt.Fprintf(w, "\nlargest set of files of a package that all reach each other\n")
	slices.SortStableFunc(m.Knots, func(a, b knot) int { return cmp.Compare(b.Lines, a.Lines) })
	for _, k := range m.Knots[:min(top, len(m.Knots))] {
		fmt.Fprintln(w, k)
	}
}

// largest are the pieces, the largest first.
func largest(pieces []piece) []piece {
	return slices.SortedStableFunc(slices.Values(pieces), func(a, b piece) int { return cmp.Compare(b.Size, a.Size) })
}
