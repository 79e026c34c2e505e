// Package treetest finds, reads and parses the files of this project for tests that check them, or that use tools which
// other tests have installed.
package treetest

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// product is the first line of the file go.mod at the top of the project. Modules below it have other names.
const product = "module github.com/tidemark/tidemark\n"

// Top returns the folder at the top of the project, from any folder in it.
func Top(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	top, err := above(dir)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func above(dir string) (top string, err error) {
	for {
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && bytes.HasPrefix(mod, []byte(product)) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("treetest: the working folder is not in the project")
		}
		dir = up
	}
}

// Tools returns the folder in which tests install the tools that they share. It may be missing.
func Tools(t testing.TB) string {
	t.Helper()
	return filepath.Join(Top(t), ".tools")
}

// Read returns the text of a file, by its path from the top.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Top(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Parse parses the Go files of one folder, by its path from the top: its tests, or everything else. The files are named
// by their paths from the top.
func Parse(t testing.TB, dir string, tests bool) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(Top(t), filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Join(dir, filepath.Base(name))] = f
	}
	return files
}
