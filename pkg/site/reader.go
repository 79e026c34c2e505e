package site

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxReported bounds how many mistakes are listed.
const maxReported = 50

// reader reads nodes of YAML and collects what is wrong with them. What it gives for a bad node is
// of no use, so that one mistake is reported and not those that follow from it.
type reader struct {
	name     string
	problems []problem
	count    int
	lines    map[*Site]int // where each begins
}

type problem struct {
	line int
	text string
}

// bad notes a mistake; line 0 is the file as a whole.
func (r *reader) bad(line int, field, format string, args ...any) {
	r.count++
	text := fmt.Sprintf(format, args...)
	if field != "" {
		text = field + ": " + text
	}
	if len(r.problems) < maxReported {
		r.problems = append(r.problems, problem{line, text})
	}
}

// report lists the mistakes by line.
func (r *reader) report() string {
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
	return strings.Join(lines, "\n")
}

// fieldReaders read the values of a mapping by the names of its fields.
type fieldReaders map[string]func(n *yaml.Node, field string)

// fields reads a mapping. Unknown and repeated fields and missing ones of required are mistakes.
// A field without a value counts as absent.
func (r *reader) fields(n *yaml.Node, field string, known fieldReaders, required ...string) {
	if n.Kind != yaml.MappingNode {
		r.wrongKind(n, field, "fields")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := join(field, key.Value)
		read, ok := known[key.Value]
		line, again := seen[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !ok:
			r.bad(key.Line, join(field, clip(key.Value)), "unknown; allowed are %s", names(known))
		case again:
			r.bad(key.Line, name, "given again, first in line %d; write it once", line)
		default:
			seen[key.Value] = key.Line
			if value.ShortTag() != "!!null" || value.Kind == yaml.AliasNode {
				read(value, name)
			} else if slices.Contains(required, key.Value) {
				r.bad(key.Line, name, "has no value")
			}
		}
	}
	for _, name := range required {
		if seen[name] == 0 {
			r.bad(n.Line, join(field, name), "is missing")
		}
	}
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

func names(known fieldReaders) string {
	var list []string
	for name := range known {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// list reads a sequence.
func (r *reader) list(n *yaml.Node, field string, most int, read func(n *yaml.Node, field string)) {
	if n.Kind != yaml.SequenceNode {
		r.wrongKind(n, field, "a list, with a - before each entry")
		return
	}
	if len(n.Content) > most {
		r.bad(n.Line, field, "%d entries; at most %d are allowed", len(n.Content), most)
		return
	}
	for i, entry := range n.Content {
		read(entry, fmt.Sprintf("%s[%d]", field, i))
	}
}

// texts reads a list of texts without repeats.
func (r *reader) texts(n *yaml.Node, field string, read func(text string) error) {
	seen := map[string]int{}
	r.list(n, field, MaxEntries, func(n *yaml.Node, field string) {
		text, ok := r.text(n, field)
		if line, again := seen[text]; ok && again {
			r.bad(n.Line, field, "the same as line %d", line)
		} else if ok {
			seen[text] = n.Line
			r.check(n, field, read(text))
		}
	})
}

// check notes an error about a node.
func (r *reader) check(n *yaml.Node, field string, err error) {
	if err != nil {
		r.bad(n.Line, field, "%v", err)
	}
}

// text reads a text without blanks around it. Numbers and the like are refused rather than guessed
// at: 010 and 1e3 would not come back as they were written.
func (r *reader) text(n *yaml.Node, field string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.wrongKind(n, field, "a text")
	case n.ShortTag() != "!!str":
		r.bad(n.Line, field, "%s is not a text; put it in quotes", clip(n.Value))
	case strings.TrimSpace(n.Value) == "":
		r.bad(n.Line, field, "is empty")
	default:
		return strings.TrimSpace(n.Value), true
	}
	return "", false
}

// number reads a whole number within bounds.
func (r *reader) number(n *yaml.Node, field string, least, most int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil || v < least || v > most {
		r.bad(n.Line, field, "is %s; write a whole number from %d to %d", shown(n), least, most)
		return least
	}
	return v
}

// truth reads true or false.
func (r *reader) truth(n *yaml.Node, field string) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.bad(n.Line, field, "is %s; write true or false", shown(n))
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// wrongKind notes that a node should have been something else. Aliases are nothing at all: they
// can unfold into more than any file holds.
func (r *reader) wrongKind(n *yaml.Node, field, want string) {
	if field == "" {
		field = "the file"
	}
	r.bad(n.Line, field, "is %s; write %s", shown(n), want)
}

// shown names what a node is.
func shown(n *yaml.Node) string {
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
