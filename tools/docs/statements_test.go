package docs

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

const statementsHeading = "## The source documents, statement by statement"

var (
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	// likeATest is a code span that was probably meant as the name of a test; commands have spaces.
	likeATest = regexp.MustCompile("^`[^ ]*(?:Test|Fuzz|Example)[A-Z0-9][^ ]*`$")
	decision  = regexp.MustCompile(`\[\*\*([^\]]+)\*\*\]\(decisions\.md\)`)
)

// sourceDocuments begin the headings of the tables, one for each.
var sourceDocuments = []string{"000: ", "001: ", "002: ", "003: ", "004: "}

// unknownTests tells of names of tests, anywhere in a document, that cannot be read or that no package has.
func unknownTests(doc string, has func(pkg, name string) bool) (wrong []string) {
	for _, span := range codeSpan.FindAllString(oneLine(doc), -1) {
		if !likeATest.MatchString(span) {
			continue
		}
		if m := named.FindStringSubmatch(span); m == nil || m[0] != span {
			wrong = append(wrong, span+": want `path/of/package.TestName`")
		} else if !has(m[1], m[2]) {
			wrong = append(wrong, m[1]+" has no "+m[2])
		}
	}
	return wrong
}

// unknownDecisions tells of decisions that a document links to and that there are not.
func unknownDecisions(doc, decisions string) (wrong []string) {
	for _, m := range decision.FindAllStringSubmatch(oneLine(doc), -1) {
		if all := "\n" + decisions; !strings.Contains(all, "\n**"+m[1]+"**") && !strings.Contains(all, "\n### "+m[1]+"\n") {
			wrong = append(wrong, "there is no decision "+m[1])
		}
	}
	return wrong
}

// statement is what one list entry begins with: the sections of a source document.
var statement = regexp.MustCompile(`^- \*\*(00\d [^*]+)\*\* — [A-Z0-9\x60]`)

// statements gives the entries of each list of statements, each on one line, by the heading of the list.
func statements(doc string) (lists [][]string, headings []string) {
	_, section, _ := strings.Cut(doc, "\n"+statementsHeading+"\n")
	for _, list := range strings.Split(section, "\n### ")[1:] {
		heading, rest, _ := strings.Cut(list, "\n")
		entries := strings.Split(rest, "\n- ")[1:]
		for i, e := range entries {
			entries[i] = "- " + oneLine(e)
		}
		lists, headings = append(lists, entries), append(headings, heading)
	}
	return lists, headings
}

// openStatements tells of entries that neither name a test or a decision nor say why not, and of lists
// that are missing.
func openStatements(doc string) (wrong []string) {
	lists, headings := statements(doc)
	if len(lists) != len(sourceDocuments) {
		return []string{fmt.Sprintf("%d lists, want %d", len(lists), len(sourceDocuments))}
	}
	for i, entries := range lists {
		if !strings.HasPrefix(headings[i], sourceDocuments[i]) {
			wrong = append(wrong, "want the list of "+sourceDocuments[i])
		}
		if len(entries) == 0 {
			wrong = append(wrong, "no entries of "+sourceDocuments[i])
		}
		for _, e := range entries {
			if m := statement.FindStringSubmatch(e); m == nil || m[1][:3] != sourceDocuments[i][:3] {
				wrong = append(wrong, "names no section: "+e)
			}
			if !named.MatchString(e) && !decision.MatchString(e) && !strings.Contains(e, " Not done: ") {
				wrong = append(wrong, "neither proved, decided nor \"Not done: why\": "+e)
			}
		}
	}
	return wrong
}

// TestStatements: every statement of the source documents stands in the specification and is proved,
// decided or said not to be done; and every test and decision that the document names, wherever it
// stands, is there.
func TestStatements(t *testing.T) {
	doc := treetest.Read(t, specification)
	packages := map[string][]string{}
	has := func(pkg, name string) bool {
		if packages[pkg] == nil {
			packages[pkg] = testsOf(t, pkg)
		}
		return slices.Contains(packages[pkg], name)
	}
	decisions := unknownDecisions(doc, treetest.Read(t, "docs/decisions.md"))
	for _, wrong := range slices.Concat(unknownTests(doc, has), decisions, openStatements(doc)) {
		t.Error(wrong)
	}
}

// TestStatementsThatAreWrong holds that the checks of [TestStatements] find what they are for.
func TestStatementsThatAreWrong(t *testing.T) {
	entry := func(doc string) string {
		return "- **" + doc + " §1** — What.\n  `pkg/app.TestThere`; [**A\n  decision.**](decisions.md)\n"
	}
	sound := "# Specification\n\n" + statementsHeading + "\n\n"
	for _, name := range sourceDocuments {
		sound += "### " + name + "x\n\n" + entry(name[:3]) + "\n"
	}
	const proof = "`pkg/app.TestThere`; [**A\n  decision.**](decisions.md)"
	for name, tt := range map[string]struct{ from, to, want string }{
		"sound":                       {"", "", ""},
		"a command":                   {"What.", "See `go test ./pkg/app -run TestA7`.", ""},
		"a title":                     {"A\n  decision.", "A title", ""},
		"not done":                    {proof, "Not done: why", ""},
		"no such test":                {"TestThere", "TestNowhere", "pkg/app has no TestNowhere"},
		"no such test, above":         {"# Specification", "`pkg/app.TestNowhere`", "pkg/app has no TestNowhere"},
		"no such package":             {"pkg/app.", "pkg/nowhere.", "pkg/nowhere has no TestThere"},
		"no package":                  {"pkg/app.TestThere", "TestThere", "want `path/of/package.TestName`"},
		"more than a name":            {"TestThere`", "TestThere/sub`", "want `path/of/package.TestName`"},
		"no such decision":            {"A\n  decision.", "Another.", "there is no decision Another."},
		"half of a decision":          {"A\n  decision.", "A decision", "there is no decision A decision"},
		"no proof":                    {proof, "surely", "neither proved"},
		"not done, and no reason":     {proof, "Not done.", "neither proved"},
		"no section":                  {"**000 §1** — ", "", "names no section"},
		"a section of another":        {"**000 §1**", "**001 §1**", "names no section"},
		"a list without entries":      {entry("000"), "", "no entries of 000"},
		"a list of another document":  {"### 000", "### 009", "want the list of 000"},
		"a document without its list": {"### 000", "000", "4 lists, want 5"},
	} {
		doc := strings.Replace(sound, tt.from, tt.to, 1)
		wrong := slices.Concat(
			unknownTests(doc, func(pkg, name string) bool { return pkg+name == "pkg/appTestThere" }),
			unknownDecisions(doc, "# Decisions\n\n**A decision.** Because.\n\n### A title\n"), openStatements(doc))
		if have := strings.Join(wrong, "; "); (have == "") != (tt.want == "") || !strings.Contains(have, tt.want) {
			t.Errorf("%s: told %q, want %q", name, have, tt.want)
		}
	}
}

var (
	citation = regexp.MustCompile(`\bspec (00\d)((?:,? (?:and )?(?:§[\d.]*\d|(?:INV|ARC|OPS|TEST)-\d))*)`)
	section  = regexp.MustCompile(`§[\d.]*\d|(?:INV|ARC|OPS|TEST)-\d`)
	// cited is a requirement in brackets, and tested one that a test is named for.
	cited  = regexp.MustCompile(`// .*\(([A-Z]\d{1,2})[,;)]`)
	tested = regexp.MustCompile(`^func Test([A-Z]\d{1,2})[A-Z]`)
	// absent names documents that the repository does not have.
	absent = regexp.MustCompile(`\bse` + `ed 00\d|DES` + `IGN(\.md)? ?§`)
)

// TestDocsCitations: what the code cites leads somewhere: ids and sections stand in the specification.
func TestDocsCitations(t *testing.T) {
	ids, sections := requirementIDs(), map[string]bool{}
	lists, _ := statements(treetest.Read(t, specification))
	for _, e := range slices.Concat(lists...) {
		if m := statement.FindStringSubmatch(e); m != nil {
			doc := m[1][:3]
			sections[doc] = true
			for _, s := range section.FindAllString(m[1], -1) {
				for ; s != ""; s = s[:max(strings.LastIndexByte(s, '.'), 0)] { // §3 is there where §3.1 is
					sections[doc+s] = true
				}
			}
		}
	}
	found := 0
	for name, line := range codeLines(t) {
		if at := absent.FindString(line); at != "" {
			t.Errorf("%s cites %q, which is not in the repository", name, at)
		}
		for _, m := range citation.FindAllStringSubmatch(line, -1) {
			found++
			for _, s := range append(section.FindAllString(m[2], -1), "") {
				if !sections[m[1]+s] {
					t.Errorf("%s cites %s %s, which the specification has not", name, m[1], s)
				}
			}
		}
		for _, re := range []*regexp.Regexp{cited, tested} {
			if m := re.FindStringSubmatch(line); m != nil && !slices.Contains(ids, m[1]) {
				t.Errorf("%s cites %s, which the specification has not", name, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d citations: they are not found as they should be", found)
	}
}

// codeLines gives every line of every Go file with the file's name.
func codeLines(t *testing.T) func(yield func(name, line string) bool) {
	t.Helper()
	root := filepath.Join("..", "..")
	return func(yield func(name, line string) bool) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".") {
				return skipDir(err)
			}
			rel, _ := filepath.Rel(root, path)
			if d.IsDir() || !strings.HasSuffix(path, ".go") {
				return nil
			}
			for line := range strings.Lines(treetest.Read(t, rel)) {
				if !yield(filepath.ToSlash(rel), line) {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
