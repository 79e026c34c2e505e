package main

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is one small change of one function.
type mutant struct {
	file     *file
	function string // name of a function or constant
	kind     kind
	number   int    // number among the mutants of its kind in the function, from 1
	rule     string // the rule that a written mutant breaks
	from, to int    // the range to replace
	text     string // the replacement
	by       stage  // the stage to run first, if any
}

// kind is a way to change code.
type kind string

const (
	byHand   kind = "written"
	negated  kind = "negated" // a condition is negated
	noETag   kind = "etag"    // a row is written regardless of its revision
	dropped  kind = "dropped" // a statement is removed
	offByOne kind = "off-by-one"
)

var kinds = []kind{negated, noETag, dropped, offByOne}

// name identifies the mutant. The name changes only when the code of the function before the mutant changes.
func (m mutant) name() string {
	if m.kind == byHand {
		return fmt.Sprintf("%s:%s: %s", m.file.name, m.function, m.rule)
	}
	return fmt.Sprintf("%s:%s:%s:%d", m.file.name, m.function, m.kind, m.number)
}

// old returns the text that the mutant replaces.
func (m mutant) old() string { return string(m.file.text[m.from:m.to]) }

// says describes the change in a line.
func (m mutant) says() string {
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if strings.TrimSpace(m.text) == "" {
		return "without " + line(m.old())
	}
	return line(m.old()) + " → " + line(m.text)
}

// mutated returns the text of the file with the change.
func (m mutant) mutated() []byte {
	return slices.Concat(m.file.text[:m.from], []byte(m.text), m.file.text[m.to:])
}

// compiles returns an error when the changed package does not compile.
func (m mutant) compiles(root string) error {
	return m.file.unit.check(filepath.Join(root, filepath.FromSlash(m.file.name)), m.mutated())
}

// A change is a written mutant.
type change struct {
	file, function string
	rule           string // the rule that the change breaks
	old, new       string // old occurs exactly once in the function
	by             stage  // the stage that should detect the change first
}

// written makes a mutant of each change, by finding the position of its old text.
func (c *code) written(list []change) (all []mutant, err error) {
	for _, ch := range list {
		f := c.file(ch.file)
		if f == nil {
			return nil, fmt.Errorf("%s is not a file of the protocol", ch.file)
		}
		m := mutant{file: f, function: ch.function, kind: byHand, rule: ch.rule, text: ch.new, by: ch.by}
		from, to := -1, -1
		for name, fn := range f.functions {
			if name == ch.function {
				from, to = c.span(fn)
			}
		}
		if from < 0 {
			return nil, fmt.Errorf("%s has no function %s", ch.file, ch.function)
		}
		if n := bytes.Count(f.text[from:to], []byte(ch.old)); n != 1 {
			return nil, fmt.Errorf("%s: the text to be replaced stands there %d times:\n%s", m.name(), n, ch.old)
		}
		m.from = from + bytes.Index(f.text[from:to], []byte(ch.old))
		m.to = m.from + len(ch.old)
		if err := m.compiles(c.root); err != nil {
			return nil, fmt.Errorf("%s does not compile: %w", m.name(), err)
		}
		all = append(all, m)
	}
	return all, nil
}

// choose returns some mutants of every kind, at most the given number of each. The choice depends only on the names
// of the mutants. Mutants that do not compile are skipped.
func (c *code) choose(all []mutant, each int) (chosen []mutant) {
	slices.SortFunc(all, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(lot(a.name()), lot(b.name())), strings.Compare(a.name(), b.name()))
	})
	for _, k := range kinds {
		n := 0
		for _, m := range all {
			if m.kind == k && n < each && m.compiles(c.root) == nil {
				chosen = append(chosen, m)
				n++
			}
		}
	}
	return chosen
}

// lot returns a hash of a mutant's name. Mutants are tried in the order of their hashes.
func lot(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))               // cannot fail
	return h.Sum64() * 0x9e3779b97f4a7c15 >> 8 // separates names that differ only in their last letter
}
