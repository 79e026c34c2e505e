package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	hostFile     = "host.json"
	functionFile = "function.json"
	// localSettings has a developer's settings, perhaps secrets, and is never deployed.
	localSettings = "local.settings.json"
	// sitesFile is the operator's optional list of sites whose pages are discovered.
	sitesFile = "backfill-sites.yaml"
	// maxJSON bounds the size of a JSON file. The usual files have a few hundred bytes.
	maxJSON = 1 << 20
)

// contents are the verified files of an app.
type contents struct {
	dir        string
	executable string   // name of the executable in host.json
	files      []string // all files, with / as separator, in the order of the walk, which never varies
}

// functions returns the number of functions. Each has one file in a folder of its own.
func (c *contents) functions() int {
	n := 0
	for _, name := range c.files {
		if strings.Contains(name, "/") {
			n++
		}
	}
	return n
}

// readContents lists the files of an app. It returns an error for an app that would not run in Azure, and for files
// that do not belong to an app: an unexpected file may be secret.
func readContents(dir string) (*contents, error) {
	c := &contents{dir: dir}
	var err error
	if c.executable, err = readHostFile(dir); err != nil {
		return nil, err
	}
	if err := checkExecutable(filepath.Join(dir, c.executable)); err != nil {
		return nil, err
	}
	if err := filepath.WalkDir(dir, c.visit); err != nil {
		return nil, err
	}
	if c.functions() == 0 {
		return nil, fmt.Errorf("%s has no function: run `make app`", dir)
	}
	return c, nil
}

// visit adds one file.
func (c *contents) visit(path string, d fs.DirEntry, err error) error {
	if err != nil || path == c.dir {
		return err
	}
	name, err := filepath.Rel(c.dir, path)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	folder, file, nested := strings.Cut(name, "/")
	switch {
	case d.IsDir() && !nested:
		// The host treats each folder with a function.json as a function, and silently ignores all other folders.
		return checkFunction(path)
	case d.IsDir() || !d.Type().IsRegular():
		return fmt.Errorf("%s: an app has one folder per function and plain files only", path)
	case name == localSettings:
		return nil
	case nested && file == functionFile, !nested && slices.Contains([]string{hostFile, sitesFile, c.executable}, folder):
		c.files = append(c.files, name)
		return nil
	case isExecutable(path, d):
		return fmt.Errorf("%s is an executable that %s does not name; it names %q", path, hostFile, c.executable)
	}
	return fmt.Errorf("%s does not belong in an app: run `make app`", path)
}

// readHostFile returns the name of the executable.
func readHostFile(dir string) (string, error) {
	var host struct {
		CustomHandler struct {
			Description struct{ DefaultExecutablePath string }
		}
	}
	path := filepath.Join(dir, hostFile)
	if err := readJSON(path, &host); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is missing: run `make app`", path)
	} else if err != nil {
		return "", err
	}
	name := host.CustomHandler.Description.DefaultExecutablePath
	// The host compares this text with the names in the zip. A file given as ./handler would therefore not be made
	// executable.
	if name == "" || name == hostFile || name != filepath.Base(name) {
		return "", fmt.Errorf("%s: customHandler.description.defaultExecutablePath is %q: "+
			"give the plain name of a file beside it", path, name)
	}
	return name, nil
}

func checkFunction(dir string) error {
	var f struct{ Bindings []struct{ Type string } }
	path := filepath.Join(dir, functionFile)
	if err := readJSON(path, &f); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no %s, so that it is no function", dir, functionFile)
	} else if err != nil {
		return err
	}
	if len(f.Bindings) == 0 {
		return fmt.Errorf("%s has no bindings", path)
	}
	return nil
}

func readJSON(path string, into any) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > maxJSON {
		return fmt.Errorf("%s has %d bytes; at most %d are allowed", path, info.Size(), maxJSON)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
