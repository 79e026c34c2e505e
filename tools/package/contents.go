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
	// localSettings holds a developer's settings, perhaps secrets, and is never deployed.
	localSettings = "local.settings.json"
	// sitesFile is the operator's list of sites to discover pages on; an app runs without one.
	sitesFile = "backfill-sites.yaml"
	// maxJSON bounds a JSON file; the usual ones have a few hundred bytes.
	maxJSON = 1 << 20
)

// contents are the files of an app, checked.
type contents struct {
	dir        string
	executable string   // the one that host.json names
	files      []string // all, in the walk's order, which is always the same; / between the parts
}

// functions counts them: each has one file, in a folder of its own.
func (c *contents) functions() int {
	n := 0
	for _, name := range c.files {
		if strings.Contains(name, "/") {
			n++
		}
	}
	return n
}

// readContents lists the files of an app and refuses what would not run in Azure, or what does
// not belong there: a file that nobody expects may be one that nobody may see.
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

// visit takes one file in.
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
		// The host takes each folder with a function.json for a function and is silent about others.
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
	// The host compares this text with names in the zip, so that ./handler would lose its mode.
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
