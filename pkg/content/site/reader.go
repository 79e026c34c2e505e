package site

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
	"go.yaml.in/yaml/v3"
)

// maxReported limits the number of mistakes that an error lists.
const maxReported = 50

// reader reads YAML nodes and collects mistakes. In place of a bad node it returns a value that causes no further
// mistake, so that each mistake is reported once.
type reader struct {
	name     string
	problems []problem
	count    int
}

type problem struct {
	line int
	text string
}

// node is a part of the file, together with the name of its field, such as sites[2].limits.
type node struct {
	*yaml.Node
	field string
}

// of returns a copy of n with the field name of one of its fields: the name of n, a dot, and the given name.
func (n node) of(name string) node {
	if n.field != "" {
		name = n.field + "." + name
	}
	return node{n.Node, name}
}

// bad records a mistake.
func (r *reader) bad(n node, format string, args ...any) { r.badLine(n.Line, n.field, format, args...) }

// badLine records a mistake. Line 0 means the whole file.
func (r *reader) badLine(line int, field, format string, args ...any) {
	r.count++
	text := fmt.Sprintf(format, args...)
	if field != "" {
		text = field + ": " + text
	}
	if len(r.problems) < maxReported {
		r.problems = append(r.problems, problem{line, text})
	}
}

// err returns an error that lists the mistakes, ordered by line. It returns nil if there are none.
func (r *reader) err() error {
	if r.count == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b problem) int { return a.line - b.line })
	var lines []string
	for _, p := range r.problems {
		place := r.name
		if p.line > 0 {
			place += ":" + strconv.Itoa(p.line)
		}
		lines = append(lines, place+": "+p.text)
	}
	if more := r.count - len(r.problems); more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", r.name, more))
	}
	return fault.New(fault.Invalid, "%s", strings.Join(lines, "\n"))
}

// fieldReaders are the functions that read the values of a mapping, by field name.
type fieldReaders map[string]func(node)

// into returns a function that calls read and stores the result in to.
func into[T any](to *T, read func(node) T) func(node) { return func(n node) { *to = read(n) } }

// fields reads a mapping. An unknown or repeated field is a mistake, and so is a missing field that is required. A
// field without a value is treated as missing.
func (r *reader) fields(n node, known fieldReaders, required ...string) {
	if n.Kind != yaml.MappingNode {
		r.wrongKind(n, "fields")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := n.of(key.Value).field
		read, ok := known[key.Value]
		line, again := seen[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !ok:
			names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			r.bad(node{key, n.of(clip(key.Value)).field}, "unknown; allowed are %s", names)
		case again:
			r.bad(node{key, name}, "given again, first in line %d; write it once", line)
		default:
			seen[key.Value] = key.Line
			if value.ShortTag() != "!!null" || value.Kind == yaml.AliasNode {
				read(node{value, name})
			} else if slices.Contains(required, key.Value) {
				r.bad(node{key, name}, "has no value")
			}
		}
	}
	for _, name := range required {
		if seen[name] == 0 {
			r.bad(n.of(name), "is missing")
		}
	}
}

// list reads a sequence.
func (r *reader) list(n node, most int, read func(node)) {
	if n.Kind != yaml.SequenceNode {
		r.wrongKind(n, "a list, with a - before each entry")
		return
	}
	if len(n.Content) > most {
		r.bad(n, "has %d entries; at most %d are allowed", len(n.Content), most)
		return
	}
	for i, entry := range n.Content {
		read(node{entry, fmt.Sprintf("%s[%d]", n.field, i)})
	}
}

// texts reads a list of texts without repeats.
func texts[T any](r *reader, parse func(string) (T, error)) func(node) []T {
	return func(n node) (list []T) {
		seen := map[string]int{}
		r.list(n, maxEntries, func(n node) {
			text, ok := r.text(n)
			if line, again := seen[text]; ok && again {
				r.bad(n, "the same as line %d", line)
			} else if ok {
				seen[text] = n.Line
				value, err := parse(text)
				list = append(list, value)
				r.check(n, err)
			}
		})
		return list
	}
}

// check records an error about a node.
func (r *reader) check(n node, err error) {
	if err != nil {
		r.bad(n, "%v", err)
	}
}

// text reads a text without surrounding blanks. It refuses numbers and other types, because YAML does not keep the
// spelling of values such as 010 and 1e3.
func (r *reader) text(n node) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.wrongKind(n, "a text")
	case n.ShortTag() != "!!str":
		r.bad(n, "%s is not a text; put it in quotes", clip(n.Value))
	case strings.TrimSpace(n.Value) == "":
		r.bad(n, "is empty")
	default:
		return strings.TrimSpace(n.Value), true
	}
	return "", false
}

// number reads a whole number within bounds.
func (r *reader) number(n node, least, most int) int {
	v, ok := whole(n)
	if !ok || v < least || v > most {
		r.bad(n, "is %s; write a whole number from %d to %d", shown(n), least, most)
		return least
	}
	return v
}

func whole(n node) (int, bool) {
	v, err := strconv.Atoi(n.Value)
	return v, err == nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int"
}

// described returns a reader of a number that package api describes.
func (r *reader) described(setting string) func(node) int {
	of, _ := form.Of[api.SiteSettings]().Field(setting)
	return func(n node) int {
		v, ok := whole(n)
		if !ok {
			return r.number(n, of.Min, of.Max)
		}
		if why := of.Wrong(v); why != "" {
			r.bad(n, "%s", why)
		}
		return v
	}
}

// truth reads true or false.
func (r *reader) truth(n node) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.bad(n, "is %s; write true or false", shown(n))
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// wrongKind reports a node of the wrong kind. Aliases are always wrong, because a few of them can expand to any size.
func (r *reader) wrongKind(n node, want string) {
	if n.field == "" {
		n.field = "the file"
	}
	r.bad(n, "is %s; write %s", shown(n), want)
}

// shown describes a node for a message, by its kind or its value.
func shown(n node) string {
	switch n.Kind {
	case yaml.AliasNode:
		return "an alias (*" + clip(n.Value) + "), which is not read"
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a set of fields"
	}
	if n.Value == "" {
		return "empty"
	}
	return strconv.Quote(clip(n.Value))
}
