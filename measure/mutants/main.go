// Command mutants changes the protocol's code in small ways, one at a time, and runs the tests that should detect
// each change. It fails when no test detects a change, unless there is a proof that no test could detect it.
//
//	mutants [-run REGEXP] [-each N] [-jobs N] [-list]
//
// There are two sorts of mutants. Written mutants ([written]) are written by hand, and each breaks one rule on
// purpose. The others are generated from the syntax: conditions are negated, ETags ignored, statements removed,
// numbers and comparisons shifted by one. A hash of their names decides which generated mutants are tried, so that a
// change elsewhere in the code changes the choice as little as possible. Mutants that do not compile are skipped.
//
// The tree is never changed: the compiler gets the changed file as an overlay. Mutants that no test can detect,
// because they behave as the original code does, are listed in [equivalents] with a proof of this.
//
// # Alternatives considered
//
// Gremlins and go-mutesting are good and maintained. But neither of them ignores an ETag or shifts a comparison of
// times, on which this protocol is built. Both run only the tests of the changed package, and neither stores proofs
// for mutants that no test can detect.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"

	"github.com/tidemark/tidemark/measure/internal/root"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := root.Chdir()
	if err == nil {
		err = run(ctx, os.Args[1:], os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// each is how many mutants of each kind are generated.
const each = 30

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.Usage = root.Usage(flags)
	only := flags.String("run", "", "try only mutants whose name this regular expression matches")
	n := flags.Int("each", each, "how many to generate of each kind")
	jobs := flags.Int("jobs", runtime.NumCPU(), "how many to try at once")
	list := flags.Bool("list", false, "say which would be tried, and try none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	all, err := plan(dir, *n)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !match.MatchString(m.name()) })
	if *list {
		for _, m := range all {
			fmt.Fprintf(out, "%s\n\t%s\n", m.name(), m.says())
		}
		return nil
	}
	return try(ctx, dir, all, *jobs, out)
}

// plan returns the mutants to try: all written ones, and the given number of every generated kind.
func plan(root string, each int) ([]mutant, error) {
	code, err := load(root)
	if err != nil {
		return nil, err
	}
	all, err := code.written(written)
	if err != nil {
		return nil, err
	}
	return append(all, code.choose(code.generate(), each)...), nil
}
