// Command corpora makes folders for measure/score from the test data that other libraries include in their modules:
// OUT/trafilatura has pages in many languages with phrases, and OUT/readability has pages with the content that
// Mozilla's Readability should find.
//
//	corpora OUT
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpora:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("want one folder to write to")
	}
	if err := readability(filepath.Join(args[0], "readability")); err != nil {
		return err
	}
	return trafilatura(filepath.Join(args[0], "trafilatura"))
}

// moduleDir returns the folder of a module that this module requires.
func moduleDir(path string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	return strings.TrimSpace(string(out)), err
}

func readability(out string) error {
	dir, err := moduleDir("codeberg.org/readeck/go-readability/v2")
	if err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(dir, "test-pages/*/source.html"))
	for _, source := range sources {
		folder := filepath.Dir(source)
		page, readErr := os.ReadFile(source)
		expected, goldErr := os.ReadFile(filepath.Join(folder, "expected.html"))
		doc, docErr := web.Extract(expected, "text/html; charset=utf-8", "https://page.example/", extract.Limits{})
		name := filepath.Base(folder)
		err = errors.Join(err, readErr, goldErr, docErr, write(out, name+".html", string(page)),
			write(out, name+".txt", doc.VisibleText))
	}
	return err
}

func trafilatura(out string) error {
	dir, err := moduleDir("github.com/markusmobius/go-trafilatura")
	if err != nil {
		return err
	}
	entries, err := phrases(filepath.Join(dir, "scripts/comparison/data.go"))
	for _, e := range entries {
		page, readErr := os.ReadFile(filepath.Join(dir, "test-files/comparison", e.file))
		if errors.Is(readErr, os.ErrNotExist) || len(e.with) == 0 {
			continue // the module lacks some pages
		}
		name := strings.TrimSuffix(e.file, ".html")
		err = errors.Join(err, readErr, write(out, name+".html", string(page)),
			write(out, name+".keep", oneALine(e.with)), write(out, name+".drop", oneALine(e.without)))
	}
	return err
}

// entry is one page in a table of Go source.
type entry struct {
	file          string
	with, without []string
}

// phrases reads the table of pages from the source of a program, because the data of a program cannot be imported.
func phrases(path string) ([]entry, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var entries []entry
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if e := readEntry(literal); e.file != "" {
			entries = append(entries, e)
		}
		return true
	})
	return entries, nil
}

func readEntry(literal *ast.CompositeLit) (e entry) {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		if key == nil {
			continue
		}
		switch values := stringsOf(pair.Value); key.Name {
		case "File":
			e.file = strings.Join(values, "")
		case "With":
			e.with = values
		case "Without":
			e.without = values
		}
	}
	return e
}

// stringsOf returns the string literals of an expression, in order.
func stringsOf(expression ast.Expr) (all []string) {
	ast.Inspect(expression, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if s, err := strconv.Unquote(literal.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

func oneALine(phrases []string) string {
	var text strings.Builder
	for _, p := range phrases {
		text.WriteString(dom.Fold(p) + "\n")
	}
	return text.String()
}

func write(folder, name, text string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666)
}
