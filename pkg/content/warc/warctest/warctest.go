// Package warctest reads WARC files in tests with warcio.js, the reader of Webrecorder's tools. So tests see the
// files as other tools do.
package warctest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

const warcioVersion = "2.4.11"

//go:embed read.mjs
var script []byte

// Reading is the content of a file, as warcio.js reads it.
type Reading struct {
	Records []Record
	Index   []Entry
}

// Record is a record of a file. The field Warc holds the fields of the record, with names in lower case.
type Record struct {
	Version       string
	Warc          map[string]string
	Block         string // digest of the block
	Status        int
	Payload       string
	PayloadDigest string
}

// Entry is a line of a file's index.
type Entry struct {
	Offset, Length int
	URL            string
}

// Read reads files. It needs Node.js and npm. Without them the test fails; it is never skipped.
func Read(t testing.TB, files ...string) []Reading {
	t.Helper()
	path := filepath.Join(t.TempDir(), "read.mjs")
	must(t, os.WriteFile(path, script, 0o644))
	var out []Reading
	must(t, json.Unmarshal(run(t, "node", append([]string{path, warcio(t)}, files...)...), &out))
	return out
}

// warcio returns the folder of warcio.js in .tools. It downloads warcio.js if the folder is missing. If the download
// fails, the test fails; it is never skipped.
func warcio(t testing.TB) string {
	t.Helper()
	tools := treetest.Tools(t)
	home := filepath.Join(tools, "warcio-"+warcioVersion)
	module := filepath.Join(home, "node_modules", "warcio")
	if _, err := os.Stat(module); err == nil {
		return module
	}
	must(t, os.MkdirAll(tools, 0o755))
	// warcio.js is installed in a temporary folder, which is then renamed. So the final folder never holds an
	// incomplete copy.
	temp, err := os.MkdirTemp(tools, "warcio-")
	must(t, err)
	defer os.RemoveAll(temp)
	run(t, "npm", "install", "--prefix", temp, "warcio@"+warcioVersion, "--ignore-scripts", "--no-audit", "--no-fund")
	if err := os.Rename(temp, home); err != nil {
		_, err = os.Stat(module) // another process may have installed it first
		must(t, err)
	}
	return module
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 5 * time.Second
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, failed.Bytes())
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
