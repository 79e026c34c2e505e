package infra_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestQueriesSpeakOfTheLog checks that queries use only phrases and attributes of the log. A query for anything else
// finds nothing, and its alert never fires.
func TestQueriesSpeakOfTheLog(t *testing.T) {
	messages, attributes := logged(t)
	paths, err := filepath.Glob("queries/*.kql")
	if err != nil || len(paths) < 4 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		query := stripped(read(t, path))
		for _, list := range matches(query, `line\.msg\) (?:==|in) \(?('[^)\n]+')`) {
			for _, m := range matches(list, `'([^']+)'`) {
				if !slices.Contains(messages, m) {
					t.Errorf("%s: nobody logs %q", path, m)
				}
			}
		}
		for _, a := range matches(query, `line\.(\w+)`) {
			if !slices.Contains(attributes, a) && !slices.Contains([]string{"msg", "level", "time"}, a) {
				t.Errorf("%s: no log entry has %q", path, a)
			}
		}
		for _, name := range matches(query, `\bName == '(\w+)'`) {
			if !slices.Contains(functionFiles(t), filepath.Join("..", "functions", name, "function.json")) {
				t.Errorf("%s: there is no function %s", path, name)
			}
		}
		if tables := matches(query, `\b(App[A-Z]\w+)`); len(tables) == 0 {
			t.Errorf("%s: asks no table", path)
		}
	}
}

// logged returns the messages and the attribute names of all log entries of the handler.
func logged(t *testing.T) (messages, attributes []string) {
	t.Helper()
	visit := func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch texts := literals(call.Args); {
		case len(texts) == 0:
		case slices.Contains([]string{"Info", "Warn", "Error", "InfoContext", "WarnContext", "ErrorContext"}, fn.Sel.Name):
			messages, attributes = append(messages, texts[0]), append(attributes, texts[1:]...)
		case fn.Sel.Name == "LogAttrs":
			messages = append(messages, texts[0])
		case slices.Contains([]string{"With", "String", "Int", "Any", "Duration", "Float64"}, fn.Sel.Name):
			attributes = append(attributes, texts...)
		}
		return true
	}
	for _, dir := range []string{"../pkg", "../handlers"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil {
				ast.Inspect(file, visit)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return messages, attributes
}

// literals returns the string literals among some expressions.
func literals(list []ast.Expr) (texts []string) {
	for _, e := range list {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
