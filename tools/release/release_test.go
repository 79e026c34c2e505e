package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestL2ArchivesDependOnContentsAlone packs the same files twice, with different times and modes on disk.
func TestL2ArchivesDependOnContentsAlone(t *testing.T) {
	at := time.Date(2026, 11, 23, 7, 0, 1, 0, time.UTC)
	type writer = func(io.Writer, fs.FS, string, time.Time) error
	for name, write := range map[string]writer{"tar": writeTar, "zip": writeZip} {
		pack := func(mode os.FileMode, day time.Time, text string) []byte {
			dir := t.TempDir()
			for _, file := range []string{"a/tidemark", "a/man/b.1", "a/README.md"} {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text+file), mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, day, day); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if err := write(&b, os.DirFS(dir), "a", at); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		first := pack(0o600, time.Unix(1, 0), "")
		if !bytes.Equal(first, pack(0o777, time.Unix(1e9, 0), "")) {
			t.Errorf("%s: the same files give other bytes", name)
		}
		if bytes.Equal(first, pack(0o600, time.Unix(1, 0), "other")) {
			t.Errorf("%s: other files give the same bytes", name)
		}
	}
}

const (
	gpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 3 of the License, or (at your
option) any later version. This program is distributed in the hope that it will be useful, but WITHOUT ANY
WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE. See the
GNU General Public License for more details. You should have received a copy of the GNU General Public License
along with this program. If not, see <https://www.gnu.org/licenses/>.`
	unknown = "You may use this on Tuesdays."
)

// TestL2LicencesOfDependencies checks that every licence file is read, from a package's folder up to the module's,
// and that a copyleft, unknown or missing licence is an error that names the module.
func TestL2LicencesOfDependencies(t *testing.T) {
	c := newClassifier()
	bsd, err := embedded.ReadFile("embedded/pdfium.txt")
	if err != nil {
		t.Fatal(err)
	}
	bsd, _, _ = bytes.Cut(bsd, []byte("PDFium contains"))
	for _, tt := range []struct {
		name, want, err string
		files           map[string]string
	}{
		{name: "one", want: "BSD-3-Clause", files: map[string]string{"LICENSE": string(bsd)}},
		{name: "above a package", want: "BSD-3-Clause",
			files: map[string]string{"COPYING.md": string(bsd), "NOTICE": "ours"}},
		{name: "copyleft beside a good one", err: "GPL-3.0",
			files: map[string]string{"LICENSE": string(bsd), "in/LICENSE": gpl}},
		{name: "unknown", err: "unknown", files: map[string]string{"LICENSE": unknown}},
		{name: "none", err: "no file", files: map[string]string{"README.md": "MIT, surely"}},
		{name: "a notice alone", err: "no file", files: map[string]string{"NOTICE": "ours"}},
	} {
		m := component{Path: "example.com/m", Version: "v1.0.0", Dir: t.TempDir()}
		folder := filepath.Join(m.Dir, "in")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range tt.files {
			if err := os.WriteFile(filepath.Join(m.Dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := c.read(&m, []string{folder})
		switch {
		case tt.err == "" && (err != nil || strings.Join(m.licences, " ") != tt.want ||
			!strings.Contains(m.text, "Redistribution")):
			t.Errorf("%s: %v %q %v", tt.name, m.licences, m.text, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) ||
			!strings.Contains(err.Error(), m.Path)):
			t.Errorf("%s: %v, want an error with %q and the module", tt.name, err, tt.err)
		}
	}
}
