package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// retired is a word that docs/glossary.md no longer allows.
type retired struct {
	word string // as in the glossary's table
	// names in the code: a lower-case word matches any word of a camel-case name, a capitalized one the whole name
	names string
	prose string // whole words in comments, documents and the dashboard; empty for ordinary English words
	in    string // folders, separated by spaces, in which the word had this sense; empty for all
}

var retiredWords = []retired{
	{word: "debt", names: "debt debts", prose: `debts?`},
	{word: "owing", names: "owing", prose: `owing|(is|are) owed|owes? (it|them)sel\w+`, in: "pkg/entries docs handlers"},
	{word: "settle", names: "settle settled settles", prose: `settl(e|es|ed|ing)`, in: "pkg/entries docs handlers"},
	{word: "pay", names: "pay pays payer", prose: `pays?`, in: "pkg/entries"},
	{word: "drain", names: "drain drained drains", prose: `drain(s|ed|ing)?`, in: "pkg/entries"},
	{word: "look", names: "look looks", in: "pkg/run/sitepoll"},
	{
		word: "look", prose: `(a|the|daily|hourly|second|each|no|its) looks?`,
		in: "pkg/run pkg/policy pkg/api handlers docs cmd/tidemark",
	},
	{word: "LookNow", names: "LookNow"},
	{word: "sentinel", prose: `(?-i:sentinel)s?`},
	{word: "lane", names: "lane lanes", prose: `lanes?`},
	{word: "twin", names: "twin twins", prose: `twins?`},
	{word: "Pass", names: "Pass", in: "pkg/registry pkg/crawl"},
	{word: "Enter", names: "Enter", in: "pkg/registry pkg/crawl"},
	{word: "Leave", names: "Leave", in: "pkg/registry pkg/crawl"},
	{word: "wish", names: "wish wishes", prose: `(a|the|every) wish`, in: "pkg docs"},
	{word: "guest", names: "guest guests", prose: `guests?`},
	{word: "stranger", names: "stranger strangers", in: "pkg/crawl pkg/registry"},
	{word: "Visit", names: "Visit Visits", prose: `(a|the|each) visits?`, in: "pkg/crawl pkg/run pkg/registry docs"},
	{word: "Visited", names: "Visited", in: "pkg/crawl pkg/run"},
	{word: "brake", names: "brake brakes", prose: `brakes?`},
	{word: "HeldSince", names: "HeldSince"},
	{word: "trust", names: "trust", in: "pkg/registry"},
	{word: "rest", prose: `rests? at`},
	{word: "Absent", names: "absent", in: "pkg/crawl pkg/registry"},
	{word: "mark", names: "mark marks", in: "pkg/crawl pkg/registry pkg/search/postings"},
	{word: "worth", names: "worth", in: "pkg/search/sqlitesearch"},
	{word: "Wake", names: "wake wakes", in: "pkg/registry pkg/run"},
	{word: "Hasten", names: "hasten", prose: `hasten(s|ed)?`},
	{word: "loser", names: "loser losers", prose: `losers?`, in: "pkg/registry pkg/entries pkg/search"},
	{word: "lose", names: "lose", in: "pkg/entries pkg/registry"},
	{word: "spoil", names: "spoil spoils spoiled", prose: `spoil(s|ed)?`, in: "pkg/registry pkg/entries"},
	{word: "Filler", names: "Filler", in: "pkg/search pkg/app pkg/crawl"},
	{word: "Fill", names: "Fill", in: "pkg/search/embed"},
	{word: "weigh", names: "weigh", prose: `weigh(s|ed)?`, in: "pkg/crawl docs"},
	{word: "judge", names: "judge judged", prose: `judge[sd]?|judging`, in: "pkg/crawl docs"},
	{word: "adopt", names: "adopt adopted", prose: `adopt(s|ed)?`, in: "pkg/crawl pkg/run docs"},
	{word: "depart", names: "depart departed", prose: `depart(s|ed)?`, in: "pkg/crawl docs"},
	{word: "toxic", names: "toxic", prose: `toxic`},
	{word: "arriving", names: "arriving", in: "pkg/app"},
	{word: "metered", names: "metered", prose: `metered`},
}

// retiredInProse are the patterns of retiredWords, in their order.
var retiredInProse = func() (all []*regexp.Regexp) {
	for _, r := range retiredWords {
		all = append(all, regexp.MustCompile(`(?i)\b(?:`+r.prose+`)\b`))
	}
	return all
}()

// storedNames contain a retired word because they are stored or go over the wire.
var storedNames = []string{"SiteLook", "NextLookAt", "LookAtSite", "Look", "LookError"}

// TestDocsGlossary checks that no name, comment, document or page of the dashboard uses a word in a sense that
// docs/glossary.md has retired.
func TestDocsGlossary(t *testing.T) {
	_, table, _ := strings.Cut(treetest.Read(t, "docs/glossary.md"), "\n## No longer used\n")
	for _, r := range retiredWords {
		if !regexp.MustCompile(`(?m)^\|.*\b` + r.word + `\b.*\|.*\|$`).MatchString(table) {
			t.Errorf("docs/glossary.md does not say what %s has become", r.word)
		}
	}
	for file, wrong := range retiredIn(t) {
		t.Errorf("%s: %s; see docs/glossary.md", file, strings.Join(wrong, ", "))
	}
}

// retiredIn returns the retired words that each file uses.
func retiredIn(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	add := func(file string, what []string) {
		if len(what) > 0 {
			found[file] = what
		}
	}
	for _, doc := range documents(t) {
		if doc != "docs/glossary.md" && doc != "CHANGELOG.md" {
			add(doc, retiredProse(doc, proseOf(treetest.Read(t, doc))))
		}
	}
	eachSource(t, func(file, path string) {
		switch {
		case file == "tools/docs/glossary_test.go":
		case strings.HasSuffix(file, ".go"):
			add(file, retiredCode(t, file, path))
		case strings.HasPrefix(file, "handlers/ui/templates/"):
			add(file, retiredProse(file, shownBy(t, file)))
		}
	})
	return found
}

// eachSource calls do with each file that people wrote: its name in the repository, and its path from here.
func eachSource(t *testing.T, do func(file, path string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		hidden := d != nil && d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".")
		if err != nil || hidden || d.IsDir() && (d.Name() == "build" || d.Name() == "node_modules") {
			return skipDir(err)
		}
		if !d.IsDir() && !strings.HasSuffix(path, ".gen.go") {
			file, _ := filepath.Rel(root, path)
			do(filepath.ToSlash(file), path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shownBy returns the text of a template without its markup.
func shownBy(t *testing.T, template string) string {
	return regexp.MustCompile(`\{\{.*?\}\}|<[^>]*>`).ReplaceAllString(treetest.Read(t, template), " ")
}

// proseOf returns a document without its code: indented or fenced blocks, and code spans.
func proseOf(doc string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(doc) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code && !strings.HasPrefix(line, "    ") {
			b.WriteString(line)
		}
	}
	return codeSpan.ReplaceAllString(b.String(), "")
}

func (r retired) appliesTo(file string) bool {
	within := func(dir string) bool { return strings.HasPrefix(file, dir+"/") }
	return r.in == "" || slices.ContainsFunc(strings.Fields(r.in), within)
}

func retiredProse(file, text string) (found []string) {
	for i, r := range retiredWords {
		if r.prose == "" || !r.appliesTo(file) {
			continue
		}
		for _, at := range retiredInProse[i].FindAllStringIndex(text, -1) {
			before, after := text[max(at[0]-1, 0):at[0]], text[at[1]:min(at[1]+1, len(text))]
			if after != "|" && after != "-" && !strings.ContainsAny(before, "\"/`|") { // a stored name or a path
				found = append(found, text[at[0]:at[1]])
			}
		}
	}
	return found
}

func retiredCode(t *testing.T, file, path string) (found []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var comments strings.Builder
	for _, group := range f.Comments {
		comments.WriteString(group.Text() + "\n")
	}
	found = retiredProse(file, comments.String())
	seen := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !seen[id.Name] && !slices.Contains(storedNames, id.Name) {
			seen[id.Name] = true
			if slices.ContainsFunc(retiredWords, func(r retired) bool { return r.appliesTo(file) && r.isIn(id.Name) }) {
				found = append(found, id.Name)
			}
		}
		return true
	})
	return found
}

// isIn reports whether the word is a part of a name, or the whole name.
func (r retired) isIn(name string) bool {
	words := strings.Fields(r.names)
	if slices.Contains(words, name) {
		return true
	}
	start := 0
	for i, c := range name + "A" {
		if i > 0 && (unicode.IsUpper(c) || c == '_') {
			if slices.Contains(words, strings.ToLower(strings.Trim(name[start:i], "_"))) {
				return true
			}
			start = i
		}
	}
	return false
}
