package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// maxFile bounds the size of a file of rules, in bytes.
const maxFile = 1 << 20

// maxMistakes limits the number of mistakes in a file that an error lists.
const maxMistakes = 50

// ParseFile parses a file of rules and channels. The argument name is the name of the file, for errors. Errors:
// Invalid, with a list of the first fifty mistakes, one per line, in the form "name:line: field: what is wrong".
func ParseFile(name string, data []byte) (f File, err error) {
	r := &fileReader{name: name}
	if len(data) > maxFile {
		r.bad(0, "", "%d bytes; at most %d are allowed", len(data), maxFile)
		return f, r.err()
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return f, nil
	} else if err != nil {
		return f, fault.New(fault.Invalid, "%s: %w", name, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		r.bad(0, "", "a second document; write all into the first")
	}
	f = r.file(doc.Content[0])
	f.name = name
	if err := r.err(); err != nil {
		return File{}, err
	}
	return f, nil
}

// fileReader reads a file and collects its mistakes.
type fileReader struct {
	name     string
	mistakes []mistake
}

type mistake struct {
	line int
	text string
}

func (r *fileReader) bad(line int, field, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if field != "" {
		text = field + ": " + text
	}
	if m := (mistake{line, text}); !slices.Contains(r.mistakes, m) {
		r.mistakes = append(r.mistakes, m)
	}
}

func (r *fileReader) err() error {
	slices.SortStableFunc(r.mistakes, func(a, b mistake) int { return a.line - b.line })
	var lines []string
	for i, m := range r.mistakes {
		if i == maxMistakes {
			lines = append(lines, fmt.Sprintf("%s: and %d more", r.name, len(r.mistakes)-i))
			break
		}
		place := r.name
		if m.line > 0 {
			place += ":" + strconv.Itoa(m.line)
		}
		lines = append(lines, place+": "+m.text)
	}
	if len(lines) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%s", strings.Join(lines, "\n"))
}

// file reads the list of rules and the list of channels.
func (r *fileReader) file(root *yaml.Node) (f File) {
	lists := map[string]*yaml.Node{}
	if root.Kind != yaml.MappingNode {
		r.bad(root.Line, "", "write the lists rules and channels")
		return f
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, list := root.Content[i], root.Content[i+1]
		switch {
		case key.Value != "rules" && key.Value != "channels":
			r.bad(key.Line, words.Ellipsis(key.Value, 40), "unknown; allowed are channels, rules")
		case lists[key.Value] != nil:
			r.bad(key.Line, key.Value, "given again; write it once")
		case list.Kind == yaml.SequenceNode:
			lists[key.Value] = list
		case list.ShortTag() != "!!null":
			r.bad(list.Line, key.Value, "write a list, with a - before each entry")
		}
	}
	names := map[string]bool{}
	for i, n := range entries(lists["channels"]) {
		c := r.channel(fmt.Sprintf("channels[%d]", i), n, names)
		f.channels = append(f.channels, c)
	}
	size := 0
	for i, n := range entries(lists["rules"]) {
		at := fmt.Sprintf("rules[%d]", i)
		one := r.rule(at, n)
		again := func(other rule) bool { return one.ID != "" && other.ID == one.ID }
		if slices.ContainsFunc(f.rules, again) {
			r.bad(lineOf(n, "name"), at+".name", "another rule has this name")
		}
		if size += one.size(); one.size() > 0 && size > maxPrograms {
			r.bad(lineOf(n, "filter"), at+".filter", "%s", tooLargeTogether)
		}
		f.rules = append(f.rules, one)
	}
	return f
}

func entries(list *yaml.Node) []*yaml.Node {
	if list == nil {
		return nil
	}
	return list.Content
}

func (r *fileReader) channel(at string, n *yaml.Node, names map[string]bool) channel {
	var spec api.ChannelSpec
	if !r.decode(at, n, &spec) {
		return channel{}
	}
	errs := checkChannel(spec)
	if spec.Kind != Webhook && spec.Kind != Service {
		errs = []error{fault.Field("kind", "kind must be %s or %s in a file, not %.40q", Webhook, Service, spec.Kind)}
	}
	if spec.Kind == Webhook && spec.Secret == "" {
		errs = append(errs, fault.Field("secret", "a webhook of a file names its secret: the setting "+
			"CREDENTIAL_NAME=secret whsec_…"))
	}
	if names[spec.Name] {
		errs = append(errs, fault.Field("name", "another channel has this name"))
	}
	names[spec.Name] = true
	r.addMistakes(at, n, errs)
	return channel{ChannelSpec: spec, Origin: FromFile}
}

func (r *fileReader) rule(at string, n *yaml.Node) rule {
	var spec api.RuleSpec
	if !r.decode(at, n, &spec) {
		return rule{}
	}
	out, errs := compile(spec)
	r.addMistakes(at, n, errs)
	out.ID, out.Origin = "file-"+slug(spec.Name), FromFile
	return out
}

// slug converts a name to a form that may be part of an address.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
}

// addMistakes records the mistakes of an entry, each with the line of its field.
func (r *fileReader) addMistakes(at string, n *yaml.Node, errs []error) {
	for _, err := range errs {
		field := fault.FieldOf(err)
		text := strings.TrimPrefix(err.Error(), field+": ")
		r.bad(lineOf(n, field), at+"."+field, "%s", text)
	}
}

// decode decodes an entry into a value, in the same way as the API decodes a request.
func (r *fileReader) decode(at string, n *yaml.Node, into any) bool {
	before := len(r.mistakes)
	value := r.plain(at, n, reflect.TypeOf(into).Elem())
	if len(r.mistakes) > before {
		return false
	}
	body, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if path, why, ok := form.Mistyped(err, reflect.TypeOf(into)); ok {
		if n := nodeOf(n, path); strings.HasPrefix(why, "must be text") && n.Kind == yaml.ScalarNode {
			why += "; put it in quotes"
		}
		r.bad(lineOf(n, path), at+"."+path, "%s", why)
	} else if err != nil {
		r.bad(n.Line, at, "cannot be read")
	}
	return err == nil
}

// plain converts a YAML node to the same value in JSON. It reports fields that the Go type does not have.
func (r *fileReader) plain(at string, n *yaml.Node, t reflect.Type) any {
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		known := form.Names(t)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			field, ok := known[key.Value]
			_, again := out[key.Value]
			switch {
			case known != nil && !ok:
				r.bad(key.Line, at+"."+words.Ellipsis(key.Value, 40), "there is no such field; known are %s",
					strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			case again:
				r.bad(key.Line, at+"."+key.Value, "given again; write it once")
			default:
				out[key.Value] = r.plain(at+"."+key.Value, value, field)
			}
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for i, one := range n.Content {
			out = append(out, r.plain(fmt.Sprintf("%s[%d]", at, i), one, nil))
		}
		return out
	case yaml.AliasNode:
		r.bad(n.Line, at, "an alias, which is not read")
		return nil
	}
	var value any
	if err := n.Decode(&value); err != nil || n.ShortTag() == "!!timestamp" {
		return n.Value
	}
	return value
}

// lineOf returns the line of a field. If the file does not contain the field, it returns the line of the innermost node
// that should contain it.
func lineOf(n *yaml.Node, path string) int { return nodeOf(n, path).Line }

func nodeOf(n *yaml.Node, path string) *yaml.Node {
	name, rest, _ := strings.Cut(path, ".")
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return nodeOf(n.Content[i+1], rest)
			}
		}
	}
	return n
}
