package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// protocol lists the code to change: all code that handles locks, commits, hints, leases, budgets, runs, and the
// order of writes to index and registry. Names after a file's are those of the only functions in it that are meant.
var protocol = map[string][]string{
	"pkg/crawl/index": {"audit.go", "manifest.go"},
	"pkg/crawl": {
		"job.go: acquire add begin begins collect commit fail giveBack index may newGate newJob newProgress next " +
			"note noteBegun one putOff run suspected wanted work",
		"placement.go: contentsOf drop prepare put remove removeAgain removeFromIndex", "reader.go: pending",
		"slots.go"},
	"pkg/crawl/politeness": {"asker.go: otherwise", "lease.go"},
	"pkg/crawl/verdict":    {"answer.go: NoteResponse OtherForms requested"},
	"pkg/feed":             {"whole.go"},
	"pkg/policy/host": {"budget.go: Charge Grant Plus Spend StartDay Wants allow left leftOf less partOf spent",
		"host.go"},
	"pkg/registry": {"alias.go", "begin.go", "commit.go", "due.go", "expedite.go", "hint.go", "history.go",
		"host.go: HostsOf LoadHost Notices claim hostStateOf move pause recount tallyOf there",
		"item.go: anew mayVanish revive", "item_rebase.go: Asked moved rebase rebasePlan rebaseSeen rebuild",
		"item_settings.go: leaves loadIdle replan respects",
		"keys.go: bucket dueRow hintKey hostRow indexKey isItemRow parseDueRow partitionKey shardOf",
		"lastmod.go: Announce BringForward Record announce forward groupBy isNews scoreOf sourcesOf", "lease.go",
		"lock.go", "move.go", "outbox.go: changesOf isFailing outbox prepareOutbox", "plan.go", "rebuild.go",
		"register.go", "registry.go: MoveToSlow New Queued received", "remove.go", "soft404.go: join lock release",
		"store.go: Create LockHost Now OnHost Parallel Retry Send Share spendPart spendTotal", "sweep.go",
		"tags.go: resettle", "write.go"},
	"pkg/run": {"active.go",
		"run.go: All Begin Change Clip Create Defaults Get Key Now Op Prefix Save Token read runKey transact",
		"step.go: Advance Enqueue Hurry Open Parse Send Step"},
	"pkg/run/backfill":        {"commit.go", "links.go: permit rate"},
	"pkg/storage/sqlitestore": {"container.go", "held.go", "leftovers.go", "writer.go"},
}

// rules lists code of other rules that must not break unnoticed. Its mutants are written; none are generated.
var rules = map[string][]string{
	"pkg/crawl":         {"placement.go"},
	"pkg/crawl/verdict": {"compare.go"},
	"pkg/fetch":         {"exchange.go", "refresh.go"},
}

// code is the protocol's code, parsed and type-checked.
type code struct {
	root  string
	fset  *token.FileSet
	files []*file
}

// A unit is a package.
type unit struct{ *packages.Package }

// file is a file that may be changed.
type file struct {
	name string // path from the root of the repository
	unit *unit
	text []byte
	tree *ast.File
	rule bool     // the file is one of rules
	only []string // the only functions that may be changed; empty for all
}

func load(root string) (*code, error) {
	c := &code{root: root, fset: token.NewFileSet()}
	var patterns []string
	for dir := range protocol {
		patterns = append(patterns, "./"+dir)
	}
	for dir := range rules {
		if protocol[dir] == nil {
			patterns = append(patterns, "./"+dir)
		}
	}
	loaded, err := packages.Load(&packages.Config{Dir: root, Fset: c.fset, Mode: packages.LoadSyntax}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
		if err := c.add(p); err != nil {
			return nil, err
		}
	}
	for _, list := range []map[string][]string{protocol, rules} {
		for dir, names := range list {
			for _, name := range names {
				name, _, _ = strings.Cut(name, ": ")
				if c.file(dir+"/"+name) == nil {
					return nil, fmt.Errorf("%s/%s is not there: correct the list in measure/mutants/code.go", dir, name)
				}
			}
		}
	}
	return c, nil
}

// add adds a package and those of its files that may be changed.
func (c *code) add(p *packages.Package) error {
	u := &unit{p}
	for i, path := range p.CompiledGoFiles {
		name, err := filepath.Rel(c.root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		dir, base := filepath.Split(name)
		dir = strings.TrimSuffix(dir, "/")
		only, ok := listed(protocol[dir], base)
		rule := !ok && slices.Contains(rules[dir], base)
		if !rule && !ok {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c.files = append(c.files, &file{name: name, unit: u, text: text, tree: p.Syntax[i], rule: rule, only: only})
	}
	return nil
}

// listed reports whether a file is in a list, and the only functions that the list means, if it names any.
func listed(list []string, base string) (only []string, ok bool) {
	for _, entry := range list {
		if name, functions, _ := strings.Cut(entry, ": "); name == base {
			return strings.Fields(functions), true
		}
	}
	return nil, false
}

func (c *code) file(name string) *file {
	for _, f := range c.files {
		if f.name == name {
			return f
		}
	}
	return nil
}

// span returns the position of a node in its file.
func (c *code) span(n ast.Node) (from, to int) {
	return c.fset.Position(n.Pos()).Offset, c.fset.Position(n.End()).Offset
}

// functions yields the functions of a file with their names. The name of a method includes its receiver's type.
func (f *file) functions(yield func(name string, fn *ast.FuncDecl) bool) {
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if !yield(functionName(fn), fn) {
			return
		}
	}
}

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name // Unreachable: receivers are named types.
		}
	}
}

// check type-checks a package in which one file was changed. The check finds exactly the errors that the compiler
// would report, and is faster.
func (u *unit) check(path string, text []byte) error {
	tree, err := parser.ParseFile(u.Fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	trees := slices.Clone(u.Syntax)
	trees[slices.Index(u.CompiledGoFiles, path)] = tree
	conf := types.Config{Importer: u}
	_, err = conf.Check(u.PkgPath, u.Fset, trees, nil)
	return err
}

var errNotLoaded = errors.New("a package that the code as it is does not import")

// Import returns the packages that the code imports.
func (u *unit) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := u.Imports[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, errNotLoaded
}
