package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A history is a module whose releases contain public documents, oldest release first.
type history struct {
	module   string
	versions []string
}

var histories = []history{
	{"github.com/spf13/cobra", strings.Fields(`v0.0.1 v0.0.2 v0.0.3 v0.0.5 v0.0.6 v1.0.0 v1.1.1 v1.1.3 v1.2.1 v1.3.0 v1.4.0
		v1.5.0 v1.6.0 v1.6.1 v1.7.0 v1.8.0 v1.8.1 v1.9.1 v1.10.0 v1.10.1 v1.10.2`)},
	{"github.com/prometheus/prometheus", strings.Fields(`v0.35.0 v0.40.3 v0.40.5 v0.44.0 v0.48.0 v0.51.2 v0.53.0 v0.55.1
		v0.301.0 v0.304.2 v0.307.3 v0.310.0 v0.313.0`)},
}

// revised is a document with all its versions that differ from the one before, oldest first.
type revised struct {
	module, path string
	bodies       [][]byte
}

// documents downloads the Markdown documents of all histories. The go command keeps them in its cache.
func documents(ctx context.Context) (docs []revised, err error) {
	for _, h := range histories {
		byPath := map[string]*revised{}
		dirs, err := h.download(ctx)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			if err := addVersion(byPath, h.module, dir); err != nil {
				return nil, err
			}
		}
		for _, path := range slices.Sorted(maps.Keys(byPath)) {
			docs = append(docs, *byPath[path])
		}
	}
	return docs, nil
}

// download returns the folder of each version.
func (h history) download(ctx context.Context) (dirs []string, err error) {
	args := []string{"mod", "download", "-json"}
	for _, v := range h.versions {
		args = append(args, h.module+"@"+v)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stderr = os.Stderr
	out, runErr := cmd.Output() // when the command fails, its output has the reason
	byVersion := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Version, Dir, Error string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if m.Error != "" {
			return nil, fmt.Errorf("%s %s: %s", h.module, m.Version, m.Error)
		}
		byVersion[m.Version] = m.Dir
	}
	for _, v := range h.versions {
		dirs = append(dirs, byVersion[v])
	}
	return dirs, runErr
}

// addVersion adds the documents of a version that are new or changed.
func addVersion(byPath map[string]*revised, module, dir string) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		path, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		r := byPath[path]
		if r == nil {
			r = &revised{module: module, path: path}
			byPath[path] = r
		}
		if n := len(r.bodies); n == 0 || !bytes.Equal(r.bodies[n-1], body) {
			r.bodies = append(r.bodies, body)
		}
		return nil
	})
}
