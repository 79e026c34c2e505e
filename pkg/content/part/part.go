// Package part reads the watched part of a page. For each line of the page that is ignored, it reports the rule by
// which the line is ignored. The same page and the same rules give the same part. Therefore parts are not stored:
// they can be read again from the snapshot of any version.
package part

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/naming"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Part is the watched part of a page.
type Part struct {
	// Doc is a document of the elements that the selectors find, including ignored lines. Without selectors it is the
	// document of the whole page.
	Doc      extract.Document
	Text     string       // text of Doc without ignored lines
	State    change.State // state of Text, in the form of the states of whole pages
	Letters  int          // number of letters and digits in Text
	Elements int          // number of elements that the selectors find; 1 without selectors
	Why      string       // the reason why the selectors cannot be applied; empty if they can
	// Around is [Unknown], [AsBefore], or says why the page around the part counts as rebuilt; see [Part.CompareAround].
	Around string
	// List has the entries, if the page is a list whose entries are watched; otherwise it is nil.
	List *extract.Entries

	blocks []extract.Block // of Text
	rules  *watch.Rules
	spec   watch.Spec
	whole  extract.Document

	body                 []byte // of the page
	contentType, baseURL string

	// The places of the part in the page, once they were needed.
	placed bool
	spans  [][]web.Span
	lines  map[string]bool // lines of Text; nil until they are first needed
}

// Reader reads watched pages. It compiles its rules when it reads the first page, because most checks read no page.
// It is not safe for concurrent use.
type Reader struct {
	spec  watch.Spec
	rules *watch.Rules
	err   error
}

// NewReader returns a reader for a watch.
func NewReader(spec watch.Spec) *Reader { return &Reader{spec: spec} }

// Rules returns the compiled rules of the reader, or an error if the rules cannot be compiled.
func (r *Reader) Rules() (*watch.Rules, error) {
	if r.rules == nil && r.err == nil {
		r.rules, r.err = watch.Compile(r.spec)
	}
	return r.rules, r.err
}

// Read returns the watched part of a page. The caller passes the page twice: as the document doc, and as the body
// with its content type and address.
func (r *Reader) Read(doc extract.Document, body []byte, contentType, baseURL string) Part {
	rules, err := r.Rules()
	if err != nil { // Unreachable for stored rules, which were compiled before.
		return Part{Why: err.Error()}
	}
	p := Part{Doc: doc, Elements: 1, rules: rules, spec: r.spec, whole: doc, body: body, contentType: contentType,
		baseURL: baseURL}
	if rules.Selects() {
		p.read(doc, body, contentType, baseURL)
	}
	if rules.Lists() {
		p.readList(body, contentType, baseURL)
	}
	counted := p.Doc
	if rules.Ignores() {
		counted.Blocks = counting(rules, p.Doc.Blocks)
	}
	p.Text, p.blocks = extract.Join(counted.Blocks), counted.Blocks
	p.State = counted.Hashes().Body
	for _, r := range p.Text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			p.Letters++
		}
	}
	return p
}

// Names returns what names the lines of Text. If a part has no names itself, as a price alone, those of the page count.
func (p *Part) Names(page *naming.Names) func(line, from, to int) []string {
	own := naming.Of(p.blocks, p.Doc.Title)
	return func(line, from, to int) []string {
		const few = 20 // blocks of a part whose lines are searched for in the page
		if names := own.Line(line, from, to); len(names) > 0 || len(p.blocks) > few {
			return names
		}
		return page.Like(own.Text(line), from, to)
	}
}

func (p *Part) read(doc extract.Document, body []byte, contentType, baseURL string) {
	var (
		found    extract.Document
		elements int
		read     bool
		err      error
	)
	written, why := web.WrittenOf(doc)
	if why == "" {
		found, elements, err = written.Part(p.rules)
	} else if found, elements, read, err = web.Part(body, contentType, baseURL, extract.Limits{}, p.rules); !read {
		p.Why = why
	}
	if err != nil {
		p.Why = err.Error()
	}
	if p.Why != "" {
		p.Elements, p.Doc.Blocks, p.Doc.Text = 0, nil, ""
		return
	}
	found.Failure, found.Thin = doc.Failure, doc.Thin
	p.Doc = found
	if p.rules.Narrow() {
		p.Elements, p.Doc.Exact = elements, true
	}
}

// readList reads the entries of a list.
func (p *Part) readList(body []byte, contentType, baseURL string) {
	entries, err := web.Entries(body, contentType, baseURL, p.rules)
	if err != nil {
		entries.Why = err.Error()
	}
	if p.List = &entries; len(entries.All) == 0 && entries.Why == "" {
		entries.Why = "the list has no entries: no link is found"
	}
}

// Explained reports whether nothing differs between two readings of a list but its entries: which of them it shows,
// and in which order. The identities of addresses say which entries are the same.
func Explained(old, now *Part, identity func(address string) string) bool {
	if old == nil || now == nil || old.List == nil || now.List == nil || old.List.Rest == nil || now.List.Rest == nil {
		return false
	}
	was, is := addressesOf(old.List, identity), addressesOf(now.List, identity)
	before, ok := old.restOf(onlyIn(was, is))
	after, read := now.restOf(onlyIn(is, was))
	return ok && read && before == after
}

// addressesOf returns the addresses of the entries of a list by their identities.
func addressesOf(l *extract.Entries, identity func(address string) string) map[string][]string {
	out := map[string][]string{}
	for _, e := range l.All {
		id := identity(e.URL)
		out[id] = append(out[id], e.URL)
	}
	return out
}

// onlyIn returns the addresses of entries of which another list has none.
func onlyIn(list, other map[string][]string) map[string]bool {
	out := map[string]bool{}
	for id, addresses := range list {
		for _, address := range addresses {
			if other[id] == nil {
				out[address] = true
			}
		}
	}
	return out
}

// restOf returns the state of what counts of a list without some entries, whatever its order.
func (p *Part) restOf(without map[string]bool) (state change.State, ok bool) {
	lines, ok := p.List.Rest(without)
	slices.Sort(lines)
	doc := extract.Document{Exact: p.Doc.Exact, Language: p.Doc.Language}
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && p.rules.Ignored(line) == "" {
			doc.Blocks = append(doc.Blocks, extract.Block{Kind: extract.Paragraph, Text: line})
		}
	}
	return doc.Hashes().Body, ok
}

// counting returns the blocks without the lines that are ignored.
func counting(rules *watch.Rules, blocks []extract.Block) (out []extract.Block) {
	size := 0
	for _, b := range blocks {
		if size += len(b.Text); size <= watch.MaxText {
			lines := slices.DeleteFunc(strings.Split(b.Text, "\n"), func(l string) bool { return rules.Ignored(l) != "" })
			b.Text = strings.Join(lines, "\n")
		}
		if b.Text != "" {
			out = append(out, b)
		}
	}
	return out
}
