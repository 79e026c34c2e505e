package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestL2PackagesDependOnContentsAlone writes the deb and the rpm of the same files twice, in two folders, and
// compares them. It fails when a file named in packaging/nfpm.yaml is missing.
func TestL2PackagesDependOnContentsAlone(t *testing.T) {
	linux := target{"linux", "amd64"}
	pack := func(binary string) *release {
		r := &release{root: t.TempDir(), version: "1.2.3", at: time.Date(2026, 11, 23, 7, 0, 1, 0, time.UTC)}
		if err := os.CopyFS(filepath.Join(r.root, "packaging"), os.DirFS("../../packaging")); err != nil {
			t.Fatal(err)
		}
		stage := filepath.Join("archives", r.folder(linux))
		for name, text := range map[string]string{
			"tidemark": binary, "LICENSE": "Apache", licenceFile: "MIT", "completions/tidemark.bash": "b",
			"completions/_tidemark": "z", "completions/tidemark.fish": "f", "../../help/man/tidemark.1": ".TH",
		} {
			path := filepath.Join(r.stage(stage), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(r.out(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.pack(linux); err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, again, other := pack("program"), pack("program"), pack("other")
	for _, name := range []string{"tidemark_1.2.3_amd64.deb", "tidemark-1.2.3-1.x86_64.rpm"} {
		read := func(r *release) []byte {
			b, err := os.ReadFile(filepath.Join(r.out(), name))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		if !bytes.Equal(read(first), read(again)) {
			t.Errorf("%s: the same files give other bytes", name)
		}
		if bytes.Equal(read(first), read(other)) {
			t.Errorf("%s: another program gives the same bytes", name)
		}
	}
}
