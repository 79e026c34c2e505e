package main

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRealApp is check 39 of the host's conformance list. It assembles the app as a deployment does, with a list of
// sites, and examines the zip as the host would.
func TestRealApp(t *testing.T) {
	dir := lay(t, map[string]string{"sites.yaml": "sites: []"})
	app, out := filepath.Join(dir, "app"), filepath.Join(dir, "tidemark.zip")
	cmd := exec.Command("make", "-C", filepath.Join("..", ".."), "app", "APP="+app, "APP_OS=linux", "APP_ARCH=amd64",
		"SITES="+filepath.Join(dir, "sites.yaml"))
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make app: %v\n%s", err, b)
	}
	if err := run(app, out); err != nil {
		t.Fatal(err)
	}
	have := entries(t, out)
	want := map[string]string{"host.json": "-rw-r--r--", "handler": "-rwxr-xr-x", "backfill-sites.yaml": "-rw-r--r--"}
	folders, err := filepath.Glob(filepath.Join("..", "..", "functions", "*", "function.json"))
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, f := range folders {
		want[filepath.Base(filepath.Dir(f))+"/function.json"] = "-rw-r--r--"
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("entries (-want +have):\n%s", diff)
	}
}

// entries returns the names in a zip and their modes, and checks that Unix made the entries and that they can be
// read.
func entries(t *testing.T, name string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		out[f.Name] = f.Mode().String()
		if made := f.CreatorVersion >> 8; made != 3 {
			t.Errorf("%s was made by system %d, want 3 (Unix)", f.Name, made)
		}
		if !f.Modified.Equal(epoch) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	names := func(yield func(string) bool) {
		for _, f := range z.File {
			if !yield(f.Name) {
				return
			}
		}
	}
	if list := slices.Collect(names); !slices.IsSorted(list) {
		t.Errorf("entries are not sorted: %v", list)
	}
	return out
}

const testHost = `{"version": "2.0", "customHandler": {"description": {"defaultExecutablePath": "handler"}}}`

// program is the smallest file that counts as an executable: a header and one segment.
func program(class elf.Class, machine elf.Machine, typ elf.Type, segment elf.ProgType) string {
	var b bytes.Buffer
	h := elf.Header64{Type: uint16(typ), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56,
		Phnum: 1, Shentsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(class), byte(elf.ELFDATA2LSB), 1
	binary.Write(&b, binary.LittleEndian, h)
	binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(segment)})
	return b.String()
}

// goodProgram is a program that Azure can start.
var goodProgram = program(elf.ELFCLASS64, elf.EM_X86_64, elf.ET_EXEC, elf.PT_LOAD)

// goodApp returns the files of a small app.
func goodApp() map[string]string {
	return map[string]string{
		"host.json":            testHost,
		"handler":              goodProgram,
		"Health/function.json": `{"bindings": [{"type": "httpTrigger"}]}`,
		"Add/function.json":    `{"bindings": [{"type": "httpTrigger"}]}`,
	}
}

// lay writes files into a new folder. Files with the name of an executable are executable.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		mode := fs.FileMode(0o600) // differs from the mode in the zip
		if strings.HasSuffix(name, ".sh") {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLocalSettings checks that a developer's settings are not packaged.
func TestLocalSettings(t *testing.T) {
	files := goodApp()
	files["local.settings.json"] = `{"Values": {"SECRET": "hush"}}`
	out := filepath.Join(t.TempDir(), "a", "b.zip")
	if err := run(lay(t, files), out); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"host.json": "-rw-r--r--", "handler": "-rwxr-xr-x",
		"Health/function.json": "-rw-r--r--", "Add/function.json": "-rw-r--r--"}
	if diff := cmp.Diff(want, entries(t, out)); diff != "" {
		t.Errorf("entries (-want +have):\n%s", diff)
	}
}

// TestSameBytes checks that the zip does not depend on who built the app, and when.
func TestSameBytes(t *testing.T) {
	var zips [2][]byte
	for i := range zips {
		app, out := lay(t, goodApp()), filepath.Join(t.TempDir(), "out.zip")
		if i == 1 {
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			if err := os.Chtimes(filepath.Join(app, "handler"), old, old); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(app, "handler"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := run(app, out); err != nil {
			t.Fatal(err)
		}
		var err error
		if zips[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(zips[0], zips[1]) {
		t.Error("two apps of the same files give different zips")
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change map[string]string // file → text, or "-" to omit the file
		want   string            // part of the error
	}{
		{"no host.json", map[string]string{"host.json": "-"}, "host.json is missing: run `make app`"},
		{"host.json is no JSON", map[string]string{"host.json": "{"}, "host.json: unexpected end of JSON input"},
		{"host.json is too large", map[string]string{"host.json": strings.Repeat(" ", maxJSON) + testHost},
			"at most 1048576 are allowed"},
		{"host.json names nothing", map[string]string{"host.json": `{}`}, `defaultExecutablePath is "": give the plain name`},
		{"./handler is not the name of the entry",
			map[string]string{"host.json": strings.Replace(testHost, `"handler"`, `"./handler"`, 1)},
			`defaultExecutablePath is "./handler": give the plain name`},
		{"host.json names another executable",
			map[string]string{"host.json": strings.Replace(testHost, `"handler"`, `"worker"`, 1)},
			"worker is missing, but host.json names it"},
		{"a second executable, by its mode", map[string]string{"run.sh": "#!/bin/sh"},
			`run.sh is an executable that host.json does not name; it names "handler"`},
		{"a second executable, by its bytes", map[string]string{"worker": goodProgram},
			`worker is an executable that host.json does not name`},
		{"an executable in a function", map[string]string{"Add/worker": goodProgram},
			`worker is an executable that host.json does not name`},
		{"another architecture", map[string]string{"handler": program(elf.ELFCLASS64, elf.EM_AARCH64, elf.ET_EXEC,
			elf.PT_LOAD)},
			"handler is built for EM_AARCH64, ELFCLASS64, and not for linux/amd64: run `make package`"},
		{"32 bits", map[string]string{"handler": program(elf.ELFCLASS64, elf.EM_386, elf.ET_EXEC, elf.PT_LOAD)},
			"built for EM_386"},
		{"dynamically linked", map[string]string{"handler": program(elf.ELFCLASS64, elf.EM_X86_64, elf.ET_DYN,
			elf.PT_INTERP)},
			"handler is dynamically linked: build it with CGO_ENABLED=0"},
		{"a library", map[string]string{"handler": program(elf.ELFCLASS64, elf.EM_X86_64, elf.ET_REL, elf.PT_LOAD)},
			"handler is ET_REL and no program"},
		{"an executable of another system", map[string]string{"handler": "\xcf\xfa\xed\xfe and so on"},
			"handler is no Linux executable"},
		{"no functions", map[string]string{"Health/function.json": "-", "Add/function.json": "-"},
			"has no function: run `make app`"},
		{"a folder that is no function", map[string]string{"notes/readme.md": "hello"},
			"notes has no function.json, so that it is no function"},
		{"a function without bindings", map[string]string{"Add/function.json": `{}`}, "function.json has no bindings"},
		{"a function.json that is none", map[string]string{"Add/function.json": `[]`},
			"Add/function.json: json: cannot unmarshal"},
		{"a folder below a function", map[string]string{"Add/deep/function.json": `{}`},
			"an app has one folder per function and plain files only"},
		{"a stranger", map[string]string{".env": "SECRET=hush"}, ".env does not belong in an app"},
		{"a stranger in a function", map[string]string{"Add/local.settings.json": "{}"},
			"local.settings.json does not belong in an app"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := goodApp()
			for name, text := range tt.change {
				if files[name] = text; text == "-" {
					delete(files, name)
				}
			}
			out := filepath.Join(t.TempDir(), "out.zip")
			err := run(lay(t, files), out)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("have %v, want %q", err, tt.want)
			}
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Error("there is a zip all the same")
			}
		})
	}
}

// TestSymlink checks that links are refused, because a link could include any file of this machine.
func TestSymlink(t *testing.T) {
	app := lay(t, goodApp())
	if err := os.Symlink("/etc/passwd", filepath.Join(app, "Add", "link")); err != nil {
		t.Fatal(err)
	}
	if err := run(app, filepath.Join(t.TempDir(), "out.zip")); err == nil ||
		!strings.Contains(err.Error(), "plain files only") {
		t.Errorf("have %v", err)
	}
}

// TestStaticPIE checks that a static position-independent program is accepted: it needs no dynamic linker.
func TestStaticPIE(t *testing.T) {
	files := goodApp()
	files["handler"] = program(elf.ELFCLASS64, elf.EM_X86_64, elf.ET_DYN, elf.PT_LOAD)
	if err := run(lay(t, files), filepath.Join(t.TempDir(), "out.zip")); err != nil {
		t.Error(err)
	}
}
