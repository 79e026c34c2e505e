package funchost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
)

// maxConfigBytes bounds a configuration file.
const maxConfigBytes = 1 << 20

// tree reads one JSON configuration file. Names are found whatever their case, as .NET finds them,
// and every error blames the file and the dotted path of the field.
type tree struct {
	file string
	root map[string]any
	errs []error
}

// readTree reads the JSON object in the file at path.
func readTree(path string) (*tree, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.NotFound, "%w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%s: %w", path, err)
	}
	if len(data) > maxConfigBytes {
		return nil, fault.New(fault.TooLarge, "%s: more than %d bytes", path, maxConfigBytes)
	}
	return parseTree(path, data)
}

func parseTree(file string, data []byte) (*tree, error) {
	// Editors on Windows begin files with a byte order mark, which .NET skips.
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	t := &tree{file: file}
	if err := dec.Decode(&t.root); err != nil {
		return nil, fault.New(fault.Invalid, "%s: not a JSON object: %w", file, err)
	}
	if t.root == nil {
		return nil, fault.New(fault.Invalid, "%s: not a JSON object", file)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "%s: text after the JSON object", file)
	}
	return t, nil
}

// err joins what was wrong with the fields read so far.
func (t *tree) err() error { return errors.Join(t.errs...) }

func (t *tree) blame(path, format string, args ...any) {
	e := fault.Field(path, format, args...)
	fault.Wrap(&e, "%s: %s", t.file, path)
	t.errs = append(t.errs, e)
}

// sub is the tree below one object, blaming the same file.
func (t *tree) sub(root map[string]any) *tree { return &tree{file: t.file, root: root} }

// value finds the value at a dotted path. JSON null counts as absent.
func (t *tree) value(path string) (any, bool) {
	var v any = t.root
	for _, name := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = member(m, name); !ok {
			return nil, false
		}
	}
	return v, v != nil
}

func member(m map[string]any, name string) (any, bool) {
	if v, ok := m[name]; ok {
		return v, true
	}
	k, ok := memberKey(m, name)
	return m[k], ok
}

// memberKey finds the key of m that equals name but for case; the first in order if several do.
func memberKey(m map[string]any, name string) (string, bool) {
	var found []string
	for k := range m {
		if strings.EqualFold(k, name) {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return name, false
	}
	sort.Strings(found)
	return found[0], true
}

// scalar gives the text of a string, number or boolean. Overrides from the environment are always
// strings, so every typed read goes through text.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func (t *tree) text(path, def string) string {
	v, ok := t.value(path)
	if !ok {
		return def
	}
	s, ok := scalar(v)
	if !ok {
		t.blame(path, "want a string")
		return def
	}
	return s
}

func (t *tree) flag(path string, def bool) bool {
	s := t.text(path, "")
	switch strings.ToLower(s) {
	case "":
		return def
	case "true":
		return true
	case "false":
		return false
	}
	t.blame(path, "want true or false, not %q", s)
	return def
}

func (t *tree) number(path string, def, least, most int) int {
	s := t.text(path, "")
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		t.blame(path, "want a whole number from %d to %d, not %q", least, most, s)
		return def
	}
	return n
}

func (t *tree) span(path string, def time.Duration) time.Duration {
	s := t.text(path, "")
	if s == "" {
		return def
	}
	d, err := parseTimeSpan(s)
	if err != nil {
		t.blame(path, "%w", err)
		return def
	}
	return d
}

// texts reads a list of scalars.
func (t *tree) texts(path string) []string {
	v, ok := t.value(path)
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	var out []string
	for _, e := range list {
		s, isText := scalar(e)
		ok = ok && isText
		out = append(out, s)
	}
	if !ok {
		t.blame(path, "want a list of strings")
		return nil
	}
	return out
}

// set puts text at path, making objects on the way, as configuration overrides do. A number in the
// path addresses an element of a list, the one past the end included.
func (t *tree) set(path []string, text string) {
	t.root, _ = place(t.root, path, text).(map[string]any)
}

func place(at any, path []string, text string) any {
	if len(path) == 0 {
		return text
	}
	if list, ok := at.([]any); ok {
		return placeInList(list, path, text)
	}
	m, ok := at.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	key, _ := memberKey(m, path[0])
	m[key] = place(m[key], path[1:], text)
	return m
}

func placeInList(list []any, path []string, text string) any {
	i, err := strconv.Atoi(path[0])
	if err != nil || i < 0 || i > len(list) {
		return list
	}
	if i == len(list) {
		list = append(list, nil)
	}
	list[i] = place(list[i], path[1:], text)
	return list
}
