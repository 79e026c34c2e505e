package app

import (
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	glob "path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/tidemark/tidemark/pkg/api"
)

const module = "github.com/tidemark/tidemark/"

// A door is where people or programs set and see things, with the packages behind it. HTTP is the fourth: it has each
// leaf of each type of request and answer by itself.
type door struct {
	name, packages string
	uses           map[string]bool // fields, as Type.Field, and forms, as form Type
}

// readByPeople are the answers that people read; the others are shown as JSON.
var readByPeople = []reflect.Type{reflect.TypeFor[api.Item](), reflect.TypeFor[api.Tag](), reflect.TypeFor[api.Rule](),
	reflect.TypeFor[api.Channel](), reflect.TypeFor[api.Site](), reflect.TypeFor[api.SearchResult](),
	reflect.TypeFor[api.FeedChange]()}

// TestV4EveryLeafHasADoor checks that each leaf of each request can be set, and each leaf of the answers that people
// read is shown, at the command line, the dashboard and for agents, or stands with a reason in the list of exceptions
// (V4).
func TestV4EveryLeafHasADoor(t *testing.T) {
	doors := []*door{{name: "command line", packages: "./cmd/tidemark/..."},
		{name: "dashboard", packages: "./handlers/ui/..."}, {name: "agents", packages: "./handlers/agent/..."}}
	own := load(t, "./pkg/api")[0]
	for _, d := range doors {
		d.uses = usesOf(own, load(t, d.packages))
	}
	for name := range fieldsInTemplates(t) {
		doors[1].uses["."+name] = true
	}
	used := map[string]bool{}
	for _, l := range leaves() {
		for _, d := range doors {
			if d.has(l) {
				continue
			}
			i := slices.IndexFunc(leftOut(), func(e exception) bool { return e.allows(d.name, l) })
			if i < 0 {
				t.Errorf("%s: %s cannot be %s there, and no exception says why", d.name, l.name, l.verb)
				continue
			}
			used[leftOut()[i].what] = true
		}
	}
	for _, e := range leftOut() {
		if !used[e.what] {
			t.Errorf("the exception for %s is not needed", e.what)
		}
	}
	if n := len(leftOut()); n > 40 {
		t.Errorf("%d exceptions; at most 40 are allowed", n)
	}
}

func load(t *testing.T, pattern string) []*packages.Package {
	t.Helper()
	all, err := packages.Load(&packages.Config{Dir: "../..", Mode: packages.NeedName | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, pattern)
	if err != nil || packages.PrintErrors(all) > 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return all
}

// A leaf is a field of a request or of an answer.
type leaf struct {
	verb, name string         // set or shown; Type.Field
	within     []reflect.Type // the types around it
	field      string
}

// leaves lists the leaves of all requests, and of the answers that people read.
func leaves() (out []leaf) {
	seen := map[string]bool{}
	var walk func(verb string, t reflect.Type, within []reflect.Type)
	walk = func(verb string, t reflect.Type, within []reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[api.Item]().PkgPath() {
			return
		}
		within = append(within[:len(within):len(within)], t)
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := verb + t.Name() + f.Name
			isLeaf := !f.Anonymous && name != "" && name != "-" && f.Tag.Get("also") == "" && // it is a second name
				!slices.Contains(replacing, t.Name())
			if isLeaf && !seen[at] {
				seen[at] = true
				out = append(out, leaf{verb, t.Name() + "." + f.Name, within, f.Name})
			}
			if name != "-" {
				walk(verb, f.Type, within)
			}
		}
	}
	for _, e := range api.Routes() {
		for _, q := range e.Requests {
			walk("set", q, nil)
		}
	}
	for _, a := range readByPeople {
		walk("shown", a, nil)
	}
	return out
}

// has reports whether a leaf is at a door: its code names it, or makes a form of a type around it.
func (d *door) has(l leaf) bool {
	if d.uses[l.name] || d.uses["."+l.field] {
		return true
	}
	return slices.ContainsFunc(l.within, func(t reflect.Type) bool { return d.uses["form "+t.Name()] })
}

// inWords are the functions that put all of a type into words.
var inWords = map[string]string{"pkg/form.OfItem": "Item", "pkg/form.OfTag": "Tag"}

// replacing are requests that replace the whole of what a patch changes: doors send the patch.
var replacing = []string{"ChannelUpdate", "RuleUpdate", "TagRequest"}

// described are the functions that have a form of a type, or of a value of it.
var described = []string{"Of", "newForm", "changesOf", "Changes", "Facts", "Inputs", "inWords", "changed"}

// usesOf returns the fields of package api that packages use, also by its functions, and the types of which they make
// forms.
func usesOf(own *packages.Package, all []*packages.Package) map[string]bool {
	within := fieldsOfFunctions(own)
	uses := map[string]bool{}
	for _, p := range all {
		owner := owners(p.Types.Imports())
		for _, obj := range p.TypesInfo.Uses {
			if name := owner[obj]; name != "" {
				uses[name] = true
			}
			if f, isFunc := obj.(*types.Func); isFunc {
				for name := range within[f.FullName()] {
					uses[name] = true
				}
				if what := inWords[strings.TrimPrefix(f.FullName(), module)]; what != "" {
					uses["form "+what] = true
				}
			}
		}
		for id, in := range p.TypesInfo.Instances {
			for i := range in.TypeArgs.Len() {
				arg := in.TypeArgs.At(i).String()
				if name := glob.Base(arg); strings.Contains(arg, "pkg/api.") && slices.Contains(described, id.Name) {
					uses["form "+strings.TrimPrefix(name, "api.")] = true
				}
			}
		}
	}
	return uses
}

// owners names the fields of the structs of package api.
func owners(imports []*types.Package) map[types.Object]string {
	out := map[types.Object]string{}
	for _, p := range imports {
		if p.Path() != module+"pkg/api" {
			continue
		}
		for _, name := range p.Scope().Names() {
			s, isStruct := p.Scope().Lookup(name).Type().Underlying().(*types.Struct)
			for i := 0; isStruct && i < s.NumFields(); i++ {
				out[s.Field(i)] = name + "." + s.Field(i).Name()
			}
		}
	}
	return out
}

// fieldsOfFunctions returns the fields that each function of package api uses.
func fieldsOfFunctions(own *packages.Package) map[string]map[string]bool {
	owner, out := owners([]*types.Package{own.Types}), map[string]map[string]bool{}
	for _, file := range own.Syntax {
		for _, decl := range file.Decls {
			f, isFunc := decl.(*ast.FuncDecl)
			if !isFunc {
				continue
			}
			uses := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, isName := n.(*ast.Ident); isName && owner[own.TypesInfo.Uses[id]] != "" {
					uses[owner[own.TypesInfo.Uses[id]]] = true
				}
				return true
			})
			out[own.TypesInfo.Defs[f.Name].(*types.Func).FullName()] = uses
		}
	}
	return out
}

var fieldInTemplate = regexp.MustCompile(`\.([A-Z][A-Za-z0-9]*)`)

// fieldsInTemplates returns the names of fields and methods in the templates of the dashboard.
func fieldsInTemplates(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../../handlers/ui/templates"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile("../../handlers/ui/templates/" + name)
		for _, m := range fieldInTemplate.FindAllStringSubmatch(string(text), -1) {
			out[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An exception is what a door leaves out, with the reason.
type exception struct{ door, what, why string }

// allows reports whether the exception is about a leaf. What has patterns of types or fields after the verb.
func (e exception) allows(door string, l leaf) bool {
	verb, patterns, _ := strings.Cut(e.what, " ")
	if e.door != door && e.door != "all" || verb != l.verb {
		return false
	}
	for pattern := range strings.FieldsSeq(patterns) {
		if ok, err := glob.Match(pattern, l.name); ok && err == nil {
			return true
		}
	}
	return false
}

func leftOut() []exception {
	return []exception{
		{"agents", "set *", "an agent reads; what it writes is a page to watch and a check"},
		{"agents", "shown *", "an agent gets texts, passages and reasons, and asks HTTP for all else"},
		{"command line", "set ActivityQuery.*", "it is of a picture"},
		{"all", "set RuleQuery.Brief ItemWhyQuery.Brief", "a page of the dashboard shows it beside many alerts"},
		{"all", "set *.Continuation CaptureQuery.* EdgeQuery.* ItemWhyQuery.Top", "paging"},
		{"command line", "set ChangeQuery.Outcome", "changes why says it of one change"},
		{"command line", "set ChangeQuery.State ChangeQuery.ItemID ItemQuery.Find ItemQuery.IDs",
			"pages of the dashboard ask so"},
		{"command line", "shown Rule.LastTold", "deliveries lists the messages of a rule with their times"},
		{"command line", "shown CannotFire.Item HeldCondition.Item", "the page has a title or an address"},
		{"command line", "set PublicAddressRequest.*", "the setting PUBLIC_URL is its command line"},
		{"command line", "set SchemaName.*", "schemas are for editors of files"},
		{"command line", "set ReaderRequest.* SavedFilter.*", "a filter that is kept is a link of the dashboard"},
		{"all", "set Entry.* EntryBatch.* EntryQuery.* Email* Telegram* Webpage*", "programs push entries"},
		{"all", "set Policy.*", "policies are those of the seed, and are rarely changed"},
		{"all", "set IndexNow*", "sites announce pages"},
		{"all", "set Import* Enrich*", "an import is begun where its file is"},
		{"command line", "set TestMode.*", "it is toggled"},
		{"command line", "set FeedQuery.* ChangeExport.*", "a feed is an address; changes has the filters"},
		{"dashboard", "set FeedQuery.* ChangeExport.*", "a feed is an address; the list has the filters"},
		{"command line", "set AddURLRequest.Draft", "the dialogue of the dashboard looks at a page before it is wanted"},
		{"dashboard", "set ChunkQuery.* CompareRequest.*", "copies are kept, and models compared, at the command line"},
		{"dashboard", "set Retrieve*", "passages are for programs and models; people search"},
		{"dashboard", "set RebuildRequest.Force", "an administrator reads all again at the command line"},
		{"all", "shown Look.* LookError.* Coverage.* LastModRecord.* Site.LastFeeds Site.LastMod Site.NewToday",
			"a poll is summed up"},
		{"all", "shown SiteChoice.* SiteDryRun.* SiteQuestion.* Site.Follow", "the question has the advice in words"},
	}
}
