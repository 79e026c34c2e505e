// Package part reads what counts of a page that somebody watches, and says of each of its lines by which rule it does
// not count. The same page and the same rules give the same part, so it need not be stored: it is read again in the
// snapshot of any version.
package part

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// Part is what counts of a page.
type Part struct {
	// Doc is what the selectors find, as a document of its own, with the lines that do not count; the page where there
	// are no selectors.
	Doc      extract.Document
	Text     string       // what counts
	State    change.State // of what counts, as bodies of pages have them
	Letters  int          // and digits of what counts
	Elements int          // that were found; 1 where none is asked for
	Why      string       // why selectors cannot be applied; empty if they can

	rules *watch.Rules
	spec  watch.Spec
	lines map[string]bool // of Doc
}

// Reader reads pages as somebody watches them. It compiles its rules for the first page: most checks read none. It is
// not safe for concurrent use.
type Reader struct {
	spec  watch.Spec
	rules *watch.Rules
	err   error
}

// NewReader makes a reader of what somebody watches.
func NewReader(spec watch.Spec) *Reader { return &Reader{spec: spec} }

// Rules are those of the reader, compiled; an error says why they cannot be.
func (r *Reader) Rules() (*watch.Rules, error) {
	if r.rules == nil && r.err == nil {
		r.rules, r.err = watch.Compile(r.spec)
	}
	return r.rules, r.err
}

// Read reads the part of a page that came with a content type from an address, and was read as doc.
func (r *Reader) Read(doc extract.Document, body []byte, contentType, baseURL string) Part {
	rules, err := r.Rules()
	if err != nil { // Unreachable where the rules are stored ones, which have been compiled before.
		return Part{Why: err.Error()}
	}
	p := Part{Doc: doc, Elements: 1, rules: rules, spec: r.spec}
	if rules.Selects() {
		p.read(doc, body, contentType, baseURL)
	}
	counted := p.Doc
	if rules.Ignores() {
		counted.Blocks = counting(rules, p.Doc.Blocks)
	}
	p.Text = extract.Join(counted.Blocks)
	_, p.State = counted.Hashes()
	for _, r := range p.Text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			p.Letters++
		}
	}
	return p
}

func (p *Part) read(doc extract.Document, body []byte, contentType, baseURL string) {
	found, elements, read, err := web.Part(body, contentType, baseURL, extract.Limits{}, p.rules)
	switch {
	case err != nil:
		p.Why = err.Error()
	case !read:
		p.Why = fmt.Sprintf("selectors need an HTML page that can be parsed, and this is %.60s", doc.MimeType)
	}
	if p.Why != "" {
		p.Elements, p.Doc.Blocks, p.Doc.Text = 0, nil, ""
		return
	}
	found.Failure, found.Thin = doc.Failure, doc.Thin
	p.Doc = found
	if p.rules.Narrow() {
		p.Elements = elements
	}
}

// counting are blocks without the lines that do not count.
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

// Rule is why a line of the page does not count; "" if it does.
func (p *Part) Rule(line string) string {
	if rule := p.rules.Ignored(line); rule != "" {
		return "ignore: " + rule
	}
	if !p.rules.Selects() {
		return ""
	}
	if p.lines == nil {
		p.lines = map[string]bool{}
		for l := range strings.SplitSeq(p.Doc.Text, "\n") {
			p.lines[strings.TrimSpace(l)] = true
		}
	}
	switch {
	case p.lines[strings.TrimSpace(line)]:
		return ""
	case p.rules.Narrow():
		return "include: outside of " + strings.Join(p.spec.Include, ", ")
	}
	return "exclude: " + strings.Join(p.spec.Exclude, ", ")
}
