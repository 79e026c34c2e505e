package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/programtest"
)

// becomesWell waits until an app reports that it is healthy.
func becomesWell(t *testing.T, port int) {
	t.Helper()
	for range 2400 {
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

// TestF4StartNeedsNothing runs the program from an empty folder, with default settings and nothing on the PATH: no
// checkout, Node.js, Azurite or service. All its state is in the data folder.
func TestF4StartNeedsNothing(t *testing.T) {
	port, home := foldertest.FreePort(t), t.TempDir()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), programtest.Build(t), "start", "--port", strconv.Itoa(port))
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
		if have := folder.Exists(filepath.Join(home, ".tidemark", name)); have != want {
			t.Errorf("%s is there: %t, want %t", name, have, want)
		}
	}
}

// TestL1AppFolder checks that the folder of an app has all that a host needs, and that its handler serves without any
// arguments.
func TestL1AppFolder(t *testing.T) {
	exe, dir := programtest.Build(t), filepath.Join(t.TempDir(), "app")
	write := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), exe, append([]string{"app", dir}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := write(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"local.settings.json", "Retired/function.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := write("--handler", filepath.Join(dir, "handler")); err != nil { // of the folder that is replaced
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]bool{
		"host.json": true, "CrawlTimer/function.json": true, "local.settings.json": true, "Retired": false,
	} {
		if have := folder.Exists(filepath.Join(dir, name)); have != want {
			t.Errorf("%s is there: %t, want %t", name, have, want)
		}
	}
	port := foldertest.FreePort(t)
	handler := exec.CommandContext(t.Context(), filepath.Join(dir, "handler"))
	handler.Env = []string{"STORAGE=embedded", "TIDEMARK_DATA=" + t.TempDir(),
		"FUNCTIONS_CUSTOMHANDLER_PORT=" + strconv.Itoa(port)}
	if err := handler.Start(); err != nil {
		t.Fatal(err)
	}
	becomesWell(t, port)
}

// TestL1AppFolderIsNotEmptied checks that a folder with other files is never emptied, even when it looks like an app.
func TestL1AppFolderIsNotEmptied(t *testing.T) {
	for _, files := range [][]string{
		{"thesis.odt"}, {"host.json", "thesis.odt"}, {"host.json", "CrawlTimer/function.json", "CrawlTimer/index.js"},
		{"host.json", ".git/HEAD"}, {"host.json", "handler/handler.go"},
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
		p := &terminal.Terminal{Out: &said, Err: &said, Name: "tidemark"}
		if code := run(t.Context(), p, noEnv, []string{"app", dir}); code != 1 || !strings.Contains(said.String(),
			"holds something else") {
			t.Errorf("%v: %d, %s", files, code, said.String())
		}
		for _, name := range files {
			if !folder.Exists(filepath.Join(dir, name)) {
				t.Errorf("%v: %s is gone", files, name)
			}
		}
	}
}

// TestL1Docs checks that the program carries the documentation.
func TestL1Docs(t *testing.T) {
	var out bytes.Buffer
	p := &terminal.Terminal{Out: &out, Err: &out, Name: "tidemark"}
	code := run(t.Context(), p, noEnv, []string{"docs"})
	if code != 0 || !strings.Contains(out.String(), "guide            Guide\n") {
		t.Errorf("%d, %s", code, out.String())
	}
	out.Reset()
	if code := run(t.Context(), p, noEnv, []string{"docs", "guide"}); code != 0 || !strings.HasPrefix(out.String(),
		"# Guide\n") {
		t.Errorf("%d, %.100s", code, out.String())
	}
	perform(t, script{args: []string{"docs", "../go.mod"}, code: 2,
		err: "tidemark: there is no page \"../go.mod\": `tidemark docs` lists them\nsee `tidemark docs --help`\n"})
}

// TestW5Schema checks that the program prints the schemas of files (W5).
func TestW5Schema(t *testing.T) {
	for _, name := range []string{"rules", "sites"} {
		var out bytes.Buffer
		p := &terminal.Terminal{Out: &out, Err: &out, Name: "tidemark"}
		code := run(t.Context(), p, noEnv, []string{"schema", name})
		if code != 0 || !strings.Contains(out.String(), `"urn:tidemark:schema:`+name+`"`) {
			t.Errorf("%d, %.200s", code, out.String())
		}
	}
	perform(t, script{args: []string{"schema", "keys"}, code: 2,
		err: "tidemark: there is no schema \"keys\": there are rules and sites\nsee `tidemark schema --help`\n"})
}

// TestL5TerminalCloses checks that a start ends in order when its terminal closes: what reads its output ends, and
// SIGHUP comes from the shell and from the kernel. Azurite ends with it and keeps its data. Under nohup the start goes
// on.
func TestL5TerminalCloses(t *testing.T) {
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP) // a test that runs under nohup hands on that it ignores the signal
	defer signal.Stop(hangUp)
	tools := treetest.Tools(t)
	exe, port, data := programtest.Build(t), foldertest.FreePort(t), t.TempDir()
	start := func(before string) (cmd *exec.Cmd, output *os.File) {
		cmd = exec.CommandContext(t.Context(), "sh", "-c", before+`exec "$0" "$@"`, exe, "start", "--port", strconv.Itoa(port),
			"--data", data, "--tools", tools, "--azurite-port-base", freePortBase(t))
		output, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "STORAGE=azurite"), in, in
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		becomesWell(t, port)
		return cmd, output
	}
	cmd, output := start("")
	_ = output.Close()
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	err := cmd.Wait()
	log, _ := os.ReadFile(filepath.Join(data, "tidemark.log"))
	if err != nil || !strings.Contains(string(log), "Azurite Blob service successfully closed") {
		t.Errorf("%v\n%s", err, log)
	}
	cmd, output = start("trap '' HUP; ")
	defer output.Close()
	_ = cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(500 * time.Millisecond)
	becomesWell(t, port)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("under nohup: %v", err)
	}
}
