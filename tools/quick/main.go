// Command quick tests what a change touches within a minute, and names what it leaves out.
//
//	quick [-base REV] [-within 60s]
//	quick -learn < OUTPUT
//
// The change is what differs from REV: by default what is not committed, or else the last commit. Quick checks the
// format of changed files and the sizes of the tree, tests the changed packages, checks the documents, and tests the
// packages that import the changed ones, as far as the time goes. Tests in slow.txt are left out. With -learn,
// quick writes slow.txt anew from the output of go test -json.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	slowFile = "tools/quick/slow.txt"
	slow     = 1.5 // seconds from which a test counts as slow
)

//go:embed slow.txt
var slowTests string

func main() {
	base := flag.String("base", "", "the commit with which to compare")
	within := flag.Duration("within", time.Minute, "how long it may take")
	learn := flag.Bool("learn", false, "write "+slowFile+" anew")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), *within)
	defer stop()
	var err error
	if *learn {
		err = os.WriteFile(slowFile, []byte(slowIn(os.Stdin)), 0o644)
	} else {
		err = run(ctx, *base)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

// slowIn lists the slow tests in the output of go test -json: on each line a package and a test.
func slowIn(r io.Reader) string {
	var lines []string
	for d := json.NewDecoder(r); ; {
		var e struct {
			Action, Package, Test string
			Elapsed               float64
		}
		if d.Decode(&e) != nil {
			break
		}
		if e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/") && e.Elapsed >= slow {
			lines = append(lines, e.Package+" "+e.Test+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

func run(ctx context.Context, base string) error {
	files, err := changed(ctx, base)
	if err != nil {
		return err
	}
	all, err := packages(ctx)
	if err != nil {
		return err
	}
	touched, others := touchedBy(files, all)
	fmt.Printf("%d files of %d packages are changed\n", len(files), len(touched))
	wrong := sizes(ctx, files)
	if wrong != nil {
		fmt.Println(wrong) // now, and not only after a minute of tests
	}
	left, err := tested(ctx, touched)
	wrong = errors.Join(wrong, err, shown(ctx, "go", "test", "./tools/docs"))
	importers := importersOf(touched, all)
	if len(left) == 0 && wrong == nil {
		importers, wrong = tested(ctx, importers)
	}
	report(importers, touched, others)
	if len(left) > 0 {
		fmt.Println("NOT TESTED, for want of time, though changed:", strings.Join(left, " "))
	}
	return wrong
}

// changed lists the files that differ from a commit, by their paths from the top.
func changed(ctx context.Context, base string) (files []string, err error) {
	status, err := output(ctx, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if base == "" {
		if base = "HEAD"; status == "" {
			base = "HEAD~1"
		}
	}
	diff, err := output(ctx, "git", "diff", "--name-only", "--no-renames", base)
	if err != nil {
		return nil, err
	}
	added, err := output(ctx, "git", "ls-files", "--others", "--exclude-standard")
	return strings.FieldsFunc(diff+added, func(r rune) bool { return r == '\n' }), err
}

func packages(ctx context.Context) (all []pkg, err error) {
	text, err := output(ctx, "go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// touchedBy returns the packages to which files belong: a file belongs to the package in the nearest folder. It also
// returns the files of other modules.
func touchedBy(files []string, all []pkg) (touched, others []string) {
	at := map[string]string{}
	top, _ := os.Getwd()
	for _, p := range all {
		if rel, err := filepath.Rel(top, p.Dir); err == nil {
			at[filepath.ToSlash(rel)] = p.ImportPath
		}
	}
	found := map[string]bool{}
	for _, file := range files {
		dir := path.Dir(file)
		for at[dir] == "" && dir != "." && !exists(path.Join(dir, "go.mod")) {
			dir = path.Dir(dir)
		}
		switch {
		case at[dir] != "" && dir != ".":
			found[at[dir]] = true
		case dir != ".":
			others = append(others, file)
		}
	}
	return slices.Sorted(maps.Keys(found)), others
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// importersOf lists the packages that import one of those directly, also in tests.
func importersOf(those []string, all []pkg) (out []string) {
	for _, p := range all {
		uses := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		if !slices.Contains(those, p.ImportPath) && slices.ContainsFunc(uses, func(s string) bool {
			return slices.Contains(those, s)
		}) {
			out = append(out, p.ImportPath)
		}
	}
	return out
}

// sizes looks at the format of the files and at the sizes of the tree.
func sizes(ctx context.Context, files []string) error {
	gofmt := []string{"-l"}
	for _, file := range files {
		if strings.HasSuffix(file, ".go") && exists(file) {
			gofmt = append(gofmt, file)
		}
	}
	if len(gofmt) > 1 {
		if wrong, err := output(ctx, "gofmt", gofmt...); err != nil || wrong != "" {
			return errors.Join(fmt.Errorf("not formatted: %s", wrong), err)
		}
	}
	return shown(ctx, "go", "test", "./tools/shape", "-run", "TestTheTreeKeepsItsShape")
}

// done matches the line of a package whose tests passed, or that has none.
var done = regexp.MustCompile(`(?m)^(?:ok|\?) +\t(\S+)`)

// tested tests packages, and returns those that time did not suffice for.
func tested(ctx context.Context, those []string) (left []string, err error) {
	left = slices.DeleteFunc(slices.Clone(those), func(p string) bool { return strings.HasSuffix(p, "/tools/docs") })
	if len(left) == 0 || ctx.Err() != nil {
		return left, nil
	}
	args := []string{"test"}
	if skip := skipped(left); skip != "" {
		args = append(args, "-skip", skip)
	}
	text, err := output(ctx, "go", append(args, left...)...)
	for _, m := range done.FindAllStringSubmatch(text, -1) {
		left = slices.DeleteFunc(left, func(p string) bool { return p == m[1] })
	}
	if ctx.Err() != nil {
		return left, nil
	}
	if err != nil {
		fmt.Print(text)
	}
	return left, err
}

// skipped is the pattern of the slow tests of packages.
func skipped(those []string) string {
	var names []string
	for line := range strings.Lines(slowTests) {
		if p, test, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(those, p) {
			names = append(names, test)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// report names what was left out.
func report(left, touched, others []string) {
	fmt.Println("left out, and run by make test:")
	for _, p := range left {
		fmt.Println("  all of", p)
	}
	if pattern := skipped(touched); pattern != "" {
		fmt.Println("  slow tests:", strings.ReplaceAll(strings.Trim(pattern, "^()$"), "|", " "))
	}
	for _, file := range others {
		fmt.Println("  the module of", file)
	}
	fmt.Println("  go vet; packages that depend on the change through others; make test-ui, demo and model")
}

// output runs a program and returns what it prints. Its errors go to the terminal.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// shown runs a program, and shows what it prints if it fails.
func shown(ctx context.Context, name string, args ...string) error {
	out, err := output(ctx, name, args...)
	if ctx.Err() != nil {
		fmt.Println("not run, for want of time:", name, strings.Join(args, " "))
		return nil
	}
	if err != nil {
		fmt.Print(out)
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
