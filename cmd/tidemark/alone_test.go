package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/site"
)

// buildProgram builds Tidemark, alone in a folder.
func buildProgram(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "tidemark")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// becomesWell waits until the health of an app is good.
func becomesWell(t *testing.T, port int) {
	t.Helper()
	for range 600 {
		resp, err := http.Get("http://127.0.0.1:" + strconv.Itoa(port) + "/api/health")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the health is not good")
}

// TestF4StartNeedsNothing runs the program from an empty folder, by default settings and with nothing on the PATH: no
// checkout, Node.js, Azurite or service. All its state is in the data folder.
func TestF4StartNeedsNothing(t *testing.T) {
	port, home := freePort(t), t.TempDir()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), buildProgram(t), "start", "--port", strconv.Itoa(port))
	cmd.Dir, cmd.Env, cmd.Stderr = home, []string{"PATH="}, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	becomesWell(t, port)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("%v, stderr %q", err, said.String())
	}
	for name, want := range map[string]bool{"store/state.db": true, "index.db": true, "azurite": false} {
		if have := exists(filepath.Join(home, ".tidemark", name)); have != want {
			t.Errorf("%s is there: %t, want %t", name, have, want)
		}
	}
}

// What was crawled is for its owner alone, whoever makes the data folder first.
func TestL4DataFolderIsPrivate(t *testing.T) {
	for name, make := range map[string]func(data string) error{
		"the sample": sample{}.prepare, "a site": indexSite{site.Entry{Slug: "a", Domain: "a.example"}}.prepare,
		"the app": func(data string) error {
			e := emulation{p: &program{err: io.Discard, getenv: os.Getenv}, options: emulatorOptions{data: data}}
			err := e.open(slog.LevelError)
			if err == nil {
				e.close()
			}
			return err
		},
	} {
		data := filepath.Join(t.TempDir(), "data")
		if err := make(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		info, err := os.Stat(data)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%s makes it %v", name, info.Mode())
		}
	}
}

// The folder of an app has all that a host needs, and its handler serves without being told to.
func TestL1AppFolder(t *testing.T) {
	exe, dir := buildProgram(t), filepath.Join(t.TempDir(), "app")
	write := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), exe, append([]string{"app", dir}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := write(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{localSettings, "Retired/function.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := write("--handler", filepath.Join(dir, handlerFile)); err != nil { // of the folder that is replaced
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]bool{
		hostFile: true, "CrawlTimer/function.json": true, localSettings: true, "Retired": false,
	} {
		if have := exists(filepath.Join(dir, name)); have != want {
			t.Errorf("%s is there: %t, want %t", name, have, want)
		}
	}
	port := freePort(t)
	handler := exec.CommandContext(t.Context(), filepath.Join(dir, handlerFile))
	handler.Env = []string{"STORAGE=embedded", "TIDEMARK_DATA=" + t.TempDir(),
		"FUNCTIONS_CUSTOMHANDLER_PORT=" + strconv.Itoa(port)}
	if err := handler.Start(); err != nil {
		t.Fatal(err)
	}
	becomesWell(t, port)
}

// A folder with other files is nobody's to empty, not even one that looks like an app.
func TestL1AppFolderIsNotEmptied(t *testing.T) {
	for _, files := range [][]string{
		{"thesis.odt"}, {hostFile, "thesis.odt"}, {hostFile, "CrawlTimer/function.json", "CrawlTimer/index.js"},
		{hostFile, ".git/HEAD"}, {hostFile, "handler/handler.go"},
	} {
		dir := t.TempDir()
		for _, name := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte("all of it"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var said bytes.Buffer
		p := &program{out: &said, err: &said, getenv: func(string) string { return "" }}
		if code := p.run(t.Context(), []string{"app", dir}); code != 1 || !strings.Contains(said.String(),
			"holds something else") {
			t.Errorf("%v: %d, %s", files, code, said.String())
		}
		for _, name := range files {
			if !exists(filepath.Join(dir, name)) {
				t.Errorf("%v: %s is gone", files, name)
			}
		}
	}
}

// The documentation goes with the program.
func TestL1Docs(t *testing.T) {
	var out bytes.Buffer
	p := &program{out: &out, err: &out, getenv: func(string) string { return "" }}
	code := p.run(t.Context(), []string{"docs"})
	if code != 0 || !strings.Contains(out.String(), "guide            Guide\n") {
		t.Errorf("%d, %s", code, out.String())
	}
	out.Reset()
	if code := p.run(t.Context(), []string{"docs", "guide"}); code != 0 || !strings.HasPrefix(out.String(), "# Guide\n") {
		t.Errorf("%d, %.100s", code, out.String())
	}
	perform(t, script{args: []string{"docs", "../go.mod"}, code: 2,
		err: "tidemark: there is no page \"../go.mod\": `tidemark docs` lists them\nsee `tidemark docs --help`\n"})
}
