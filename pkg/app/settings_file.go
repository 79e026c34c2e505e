package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

const (
	// ConfigFile is the name of the settings file in a data folder.
	ConfigFile = "tidemark.yaml"
	// configSetting names a settings file elsewhere.
	configSetting = "TIDEMARK_CONFIG"
	// maxConfig bounds a settings file, in bytes.
	maxConfig = 64 << 10
	// maxConfigMistakes limits the number of mistakes in a settings file that an error lists.
	maxConfigMistakes = 20
)

// configFile is a settings file: a flat mapping of names to values, in YAML.
type configFile struct {
	path    string
	lines   []string // without the line ends
	entries []configEntry
}

// configEntry is a setting in a settings file. It takes the lines from its first to the one before its end.
type configEntry struct {
	name, value string
	comment     string // on the line of the entry
	block       bool   // whether all its further lines are the value, also those that look like comments
	first, end  int
}

// readConfig reads a settings file. A file that is missing is empty, unless somebody has named it. Errors: Invalid; a
// file that is returned with one has the lines without mistakes.
func readConfig(path string, named bool) (*configFile, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return &configFile{path: path}, nil
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "the settings file cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fault.New(fault.Invalid, "the settings file cannot be read: %w", err)
	}
	c, err := parseConfig(path, data)
	if c == nil {
		return nil, err
	}
	return c, errors.Join(err, c.checkMode(info.Mode()))
}

// checkMode refuses a file with a secret that others can read. Windows has no such modes.
func (c *configFile) checkMode(mode fs.FileMode) error {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return nil
	}
	for _, e := range c.entries {
		if s, found := findSetting(e.name); e.value != "" && (!found || s.isSecret()) { // those not found are credentials
			return fault.New(fault.Invalid, "%s holds a secret, %s, and others than its owner can read it: chmod 600 %[1]s",
				c.path, e.name)
		}
	}
	return nil
}

// findSetting returns a setting of the table by its name.
func findSetting(name string) (Setting, bool) {
	i := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}, false
	}
	return Settings[i], true
}

// CheckName returns an error unless a settings file may have a setting of this name.
func CheckName(name string) error {
	stored, err := credential.Name(name)
	isCredential := strings.HasPrefix(name, credential.Prefix) && err == nil && credential.Prefix+stored == name
	_, found := findSetting(name)
	switch {
	case slices.Contains(notInFile, name):
		return fault.New(fault.Invalid, "%s is read from the environment only", name)
	case isCredential || found && !strings.Contains(name, "<"):
		return nil
	}
	if near := nearSetting(name); near != "" {
		return fault.New(fault.Invalid, "there is no setting %.64q; did you mean %s?", name, near)
	}
	return fault.New(fault.Invalid, "there is no setting %.64q; `tidemark settings` lists them", name)
}

// parseConfig parses a settings file. Errors: Invalid, with the first mistakes, one per line, in the form
// "path:line: what is wrong". They do not contain values, which may be secrets. If the form of the file is right, the
// entries without mistakes are returned, too, so that their values can be checked in the same report.
func parseConfig(path string, data []byte) (*configFile, error) {
	c := &configFile{path: path}
	if len(data) > maxConfig {
		return nil, fault.New(fault.Invalid, "%s: more than %d bytes", path, maxConfig)
	}
	if text := strings.TrimSuffix(string(data), "\n"); text != "" {
		c.lines = strings.Split(text, "\n")
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return c, nil
	} else if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "%s: a second document; write all into the first", path)
	}
	root := doc.Content[0]
	if root.ShortTag() == "!!null" && root.Kind == yaml.ScalarNode {
		return c, nil
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, fault.New(fault.Invalid, "%s:%d: write a line NAME: value for each setting", path, root.Line)
	}
	var mistakes []string
	for i := 0; i+1 < len(root.Content); i += 2 {
		if err := c.add(root.Content[i], root.Content[i+1]); err != nil {
			mistakes = append(mistakes, fmt.Sprintf("%s:%d: %v", path, root.Content[i].Line, err))
		}
	}
	if n := len(mistakes); n > maxConfigMistakes {
		mistakes = append(mistakes[:maxConfigMistakes], fmt.Sprintf("%s: and %d more", path, n-maxConfigMistakes))
	}
	if len(mistakes) > 0 {
		return c, fault.New(fault.Invalid, "%s", strings.Join(mistakes, "\n"))
	}
	c.setEnds()
	return c, nil
}

// add adds an entry.
func (c *configFile) add(key, value *yaml.Node) error {
	if key.Kind != yaml.ScalarNode {
		return errors.New("write a line NAME: value for each setting")
	}
	if err := CheckName(key.Value); err != nil {
		return err
	}
	if value.Kind != yaml.ScalarNode {
		return fmt.Errorf("%s: write one value; several are separated by commas", key.Value)
	}
	if _, set := c.get(key.Value); set {
		return fmt.Errorf("%s: given again; write it once", key.Value)
	}
	e := configEntry{name: key.Value, value: value.Value, comment: value.LineComment, first: key.Line - 1,
		block: value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0}
	if value.ShortTag() == "!!null" {
		e.value, e.comment = "", key.LineComment+value.LineComment
	}
	if strings.ContainsRune(e.value, 0) {
		return fmt.Errorf("%s: the value has a NUL byte", key.Value)
	}
	c.entries = append(c.entries, e)
	return nil
}

// setEnds finds where each entry ends: its further lines are indented.
func (c *configFile) setEnds() {
	for i := range c.entries {
		e := &c.entries[i]
		next := len(c.lines)
		if i+1 < len(c.entries) {
			next = c.entries[i+1].first
		}
		e.end = e.first + 1
		for at := e.end; at < next; at++ {
			text := strings.TrimSpace(c.lines[at])
			if text != "" && strings.ContainsAny(c.lines[at][:1], " \t") && (e.block || text[0] != '#') {
				e.end = at + 1
			}
		}
	}
}

func (c *configFile) get(name string) (configEntry, bool) {
	i := slices.IndexFunc(c.entries, func(e configEntry) bool { return e.name == name })
	if i < 0 {
		return configEntry{}, false
	}
	return c.entries[i], true
}

// with returns the file with another value of a setting, or without the setting if the value is "". Everything else
// stays as it is: comments, order and empty lines.
func (c *configFile) with(name, value string) (*configFile, error) {
	was, set := c.get(name)
	if !set {
		was.first = c.lineFor(name)
		was.end = was.first
	}
	var line []string
	if value != "" {
		text := entryText(name, value)
		if was.comment != "" && !strings.Contains(text, "\n") {
			text += "  " + was.comment
		}
		line = strings.Split(text, "\n")
	}
	lines := slices.Replace(slices.Clone(c.lines), was.first, was.end, line...)
	text := ""
	if len(lines) > 0 {
		text = strings.Join(lines, "\n") + "\n"
	}
	out, err := parseConfig(c.path, []byte(text))
	if err != nil || !out.differsIn(c, name, value) {
		return nil, fault.New(fault.Invalid, "%s: %s cannot be changed here, because of how the file is written: change it "+
			"in an editor", c.path, name)
	}
	return out, nil
}

// lineFor returns the line at which a new entry goes: below the line that has it as a comment, or to the end.
func (c *configFile) lineFor(name string) int {
	for i, line := range c.lines {
		if strings.HasPrefix(strings.TrimLeft(line, "# "), name+":") {
			return i + 1
		}
	}
	return len(c.lines)
}

// entryText returns an entry in YAML, without quotes where it needs none.
func entryText(name, value string) string {
	plain := name + ": " + value
	if c, err := parseConfig("", []byte(plain)); err == nil && len(c.entries) == 1 && len(c.lines) == 1 &&
		c.entries[0].value == value {
		return plain
	}
	text, _ := yaml.Marshal(map[string]string{name: value}) // text always encodes
	return strings.TrimSuffix(string(text), "\n")
}

// differsIn reports whether a file differs from another only in one setting, which has the value.
func (c *configFile) differsIn(other *configFile, name, value string) bool {
	have, want := c.values(), other.values()
	want[name] = value
	if value == "" {
		delete(want, name)
	}
	if len(have) != len(want) {
		return false
	}
	for n, v := range want {
		if has, set := have[n]; !set || has != v {
			return false
		}
	}
	return true
}

func (c *configFile) values() map[string]string {
	out := map[string]string{}
	for _, e := range c.entries {
		out[e.name] = e.value
	}
	return out
}

// save writes the file, which appears as a whole. It keeps the mode and the owner of the file before, and a link to it.
func (c *configFile) save() error {
	path := c.path
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	mode := fs.FileMode(0o600)
	before, err := os.Stat(path)
	if err == nil {
		mode = before.Mode().Perm()
	}
	if err := c.checkMode(mode); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+ConfigFile+".*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if all went well, because the file was renamed
	for _, line := range c.lines {
		if _, err = f.WriteString(line + "\n"); err != nil {
			break
		}
	}
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if before != nil {
		err = errors.Join(err, keepOwner(f.Name(), before))
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
