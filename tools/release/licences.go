package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	classify "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// licenceFile is the file with all licences, in archives and packages.
const licenceFile = "LICENSES-THIRD-PARTY.txt"

// allowed lists the licences that a dependency may have. They require only a notice, which licenceText includes.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "blessing", "ISC", "MIT", "Unicode-3.0", "Zlib",
}

// readByHand has the licences of files that the classifier does not recognize. The keys are the module and the name
// of the file.
var readByHand = map[string]string{
	"modernc.org/sqlite SQLITE-LICENSE": "blessing",     // SQLite is in the public domain
	"modernc.org/memory LICENSE-LOGO":   "BSD-3-Clause", // the licence of a picture that no binary contains
}

// A component is a part of a binary.
type component struct {
	Path, Version, Sum, Dir string // Sum is the checksum of go.sum, "h1:…"
	licences                []string
	text                    string
}

//go:embed embedded
var embedded embed.FS

// beside lists the parts of the binary that are not Go modules themselves: data and programs inside modules.
var beside = []struct{ path, version, licence, file string }{
	{"PDFium", "", "BSD-3-Clause", "pdfium.txt"},
	{"Unicode CLDR", "48", "Unicode-3.0", "unicode.txt"},
}

// A classifier recognizes licences by their text, without network access.
type classifier struct{ *classify.Classifier }

func newClassifier() classifier {
	c, err := assets.DefaultClassifier()
	if err != nil {
		panic(err) // cannot fail: the data is embedded
	}
	return classifier{c}
}

// components lists the parts of a target's binary. It returns an error if a part's licence is unknown or not allowed.
func (r *release) components(t target) ([]component, error) {
	modules, folders, err := r.dependencies(t)
	if err != nil {
		return nil, err
	}
	var parts []component
	var wrong error
	for _, m := range modules {
		err := r.classifier.read(&m, folders[m.Path])
		wrong = errors.Join(wrong, err)
		parts = append(parts, m)
	}
	for _, b := range beside {
		text, err := embedded.ReadFile("embedded/" + b.file)
		if err != nil {
			return nil, err
		}
		licences := []string{b.licence}
		parts = append(parts, component{Path: b.path, Version: b.version, licences: licences, text: string(text)})
	}
	return parts, wrong
}

// dependencies lists the modules of the packages in a target's binary, including Go's own, and the folders of those
// packages.
func (r *release) dependencies(t target) (modules []component, folders map[string][]string, err error) {
	list := r.command(t.env(), "go", "list", "-deps", "-json=Dir,Module", "./cmd/tidemark")
	out, err := list.Output()
	if err != nil {
		return nil, nil, err
	}
	env, err := r.command(nil, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, nil, err
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	modules = []component{{Path: "std", Version: version, Dir: goroot}}
	folders = map[string][]string{"std": {goroot}}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir    string
			Module *struct {
				component
				Main bool
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, err
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		if folders[p.Module.Path] == nil {
			modules = append(modules, p.Module.component)
		}
		folders[p.Module.Path] = append(folders[p.Module.Path], p.Dir)
	}
	slices.SortFunc(modules, func(a, b component) int { return cmp.Compare(a.Path, b.Path) })
	return modules, folders, nil
}

// read reads the licences of a module, from all licence files in the folders of its packages and above.
func (c classifier) read(m *component, folders []string) error {
	files := map[string]bool{}
	for _, dir := range folders {
		for ; len(dir) >= len(m.Dir); dir = filepath.Dir(dir) {
			for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*", "*-LICENSE*"} {
				names, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil {
					return err
				}
				for _, name := range names {
					files[name] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found, err := c.identify(m.Path, filepath.Base(name), text)
		if err != nil {
			return err
		}
		m.licences = append(m.licences, found...)
		m.text += strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n\n"
	}
	slices.Sort(m.licences)
	if m.licences = slices.Compact(m.licences); len(m.licences) == 0 {
		return fmt.Errorf("%s %s has no file with a licence", m.Path, m.Version)
	}
	return nil
}

// identify returns the names of the licences in one file. A notice may contain no licence.
func (c classifier) identify(module, name string, text []byte) ([]string, error) {
	if id := readByHand[module+" "+name]; id != "" {
		return []string{id}, nil
	}
	var found []string
	for _, m := range c.Match(text).Matches {
		if m.MatchType == "License" || m.MatchType == "Header" {
			if !slices.Contains(allowed, m.Name) {
				return nil, fmt.Errorf("%s: %s has the licence %s, which is not among those allowed", module, name, m.Name)
			}
			found = append(found, m.Name)
		}
	}
	if len(found) == 0 && !strings.HasPrefix(name, "NOTICE") {
		return nil, fmt.Errorf("%s: the licence in %s is unknown: read it, and name it in readByHand", module, name)
	}
	return found, nil
}

// licenceText returns the text of the licence file of a binary.
func licenceText(parts []component) string {
	var b strings.Builder
	b.WriteString("Tidemark is licensed under the Apache License 2.0, in the file LICENSE. It holds these, too:\n\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "  %-60s %s\n", strings.TrimSpace(p.Path+" "+p.Version), strings.Join(p.licences, ", "))
	}
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n%s", strings.Repeat("-", 80), p.Path, p.Version, p.text)
	}
	return b.String()
}
