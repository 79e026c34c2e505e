package local

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
)

// fakeFunc puts a shell script on the PATH under the name of Azure Functions Core Tools.
func fakeFunc(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "func"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestAzuriteRunsFunc checks that Core Tools see the settings of Azurite and not those of the environment, and that
// the command otherwise runs as it does without Azurite (F3).
func TestAzuriteRunsFunc(t *testing.T) {
	t.Setenv("AzureWebJobsStorage", "another account")
	t.Setenv("STORAGE", "embedded")
	fakeFunc(t, `echo "args: $*"
echo "storage: $STORAGE $AzureWebJobsStorage, from port $AZURITE_PORT_BASE on; data: $TIDEMARK_DATA"
read line
echo "stdin: $line"
echo "oh no" >&2
exit 3`)
	s, data := &stage{}, t.TempDir()
	p, out, errOut := quietTerminal(strings.NewReader("hello\n"))
	o := folder.Options{PortBase: 20000, Data: data}
	err := runAzurite(t.Context(), p, noEnv, o, []string{"func", "start", "--script-root", "build/app"}, s.Services())
	if err != command.ExitError(3) {
		t.Errorf("have %v, want exit code 3", err)
	}
	want := `args: start --script-root build/app
storage: account azurite!, from port 20000 on; data: DATA
stdin: hello
`
	if diff := cmp.Diff(want, strings.ReplaceAll(out.String(), data, "DATA")); diff != "" {
		t.Errorf("stdout (-want +have):\n%s", diff)
	}
	want = `tidemark: starting Azurite (the first time it is downloaded, which takes a minute)
oh no
tidemark: stopping Azurite, which saves its data
tidemark: stopped; the data is in DATA
`
	if diff := cmp.Diff(want, strings.ReplaceAll(errOut.String(), data, "DATA")); diff != "" {
		t.Errorf("stderr (-want +have):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"azurite azurite 20000", "azurite stopped"}, s.Events()); diff != "" {
		t.Errorf("events (-want +have):\n%s", diff)
	}
}

func TestAzuriteCommandEnds(t *testing.T) {
	started, stopped := "azurite azurite 10000", "azurite stopped"
	for _, tt := range []struct {
		name    string
		script  string
		command string // empty means func
		stage   *stage
		stop    bool // end the context when the command prints ready
		events  []string
		err     string // empty means no error
	}{
		{name: "well", script: "exit 0", stage: &stage{}, events: []string{started, stopped}},
		{name: "by a signal", script: "kill -TERM $$", stage: &stage{}, events: []string{started, stopped},
			err: "exit code 143"},
		{name: "in order, when we are told to end", script: "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done",
			stage: &stage{}, stop: true, events: []string{started, stopped}, err: "exit code 7"},
		{name: "because azurite did", script: "trap 'exit 7' TERM; while :; do sleep 0.01; done",
			stage: &stage{Stage: foldertest.Stage{AzuriteDies: true}}, events: []string{started, stopped},
			err: "azurite ended by itself"},
		{name: "before it began: azurite does not start", script: "exit 0",
			stage:  &stage{Stage: foldertest.Stage{AzuriteErr: errors.New("port 10000 is in use")}},
			events: []string{started}, err: "port 10000 is in use"},
		{name: "before it began: no such command", command: "fnuc", stage: &stage{},
			err: "executable file not found in $PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fakeFunc(t, tt.script)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, _, _ := quietTerminal(strings.NewReader(""))
			if tt.stop {
				p.Out = writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil })
			}
			command := "func"
			if tt.command != "" {
				command = tt.command
			}
			err := runAzurite(ctx, p, noEnv, folder.Options{PortBase: 10000, Data: t.TempDir()}, []string{command},
				tt.stage.Services())
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("have %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.events, tt.stage.Events()); diff != "" {
				t.Errorf("events (-want +have):\n%s", diff)
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestCommandIsToldOnce checks which signal reaches a command that the terminal may have signalled already.
func TestCommandIsToldOnce(t *testing.T) {
	const none, byInterrupt, byTerm = 5, 9, 8
	for _, tt := range []struct {
		name     string
		cause    error
		terminal bool
		want     int
	}{
		{"Ctrl-C comes from the terminal", command.Interruption{Signal: os.Interrupt}, true, none},
		{"an interrupt without a terminal is passed on", command.Interruption{Signal: os.Interrupt}, false, byInterrupt},
		{"a terminal does not pass on what it did not send", command.Interruption{Signal: syscall.SIGTERM}, true, byTerm},
		{"whatever else ends us", context.Canceled, true, byTerm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", "trap 'exit 9' INT; trap 'exit 8' TERM; echo ready; read line; exit 5")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.ReadFull(out, make([]byte, len("ready")))
			p, _, _ := quietTerminal(nil)
			p.Notes.Terminal = tt.terminal
			if err := endCommand(p, cmd.Process, tt.cause); err != nil {
				t.Error(err)
			}
			in.Close()
			cmd.Wait()
			if have := cmd.ProcessState.ExitCode(); have != tt.want {
				t.Errorf("have exit code %d, want %d", have, tt.want)
			}
		})
	}
}

// TestAzuriteAlone checks the output for a user who wants only the storage.
func TestAzuriteAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, _, _ := quietTerminal(nil)
	out := &watchfulBuffer{interrupt: cancel}
	p.Out = out
	s, data := &stage{}, filepath.Join(t.TempDir(), "it's mine")
	if err := runAzurite(ctx, p, noEnv, folder.Options{PortBase: 10000, Data: data}, nil, s.Services()); err != nil {
		t.Fatal(err)
	}
	want := `starting Azurite (the first time it is downloaded, which takes a minute)

Azurite runs. To use it, in another terminal:

  export TIDEMARK_DATA='QUOTED'
  export STORAGE='account'
  export AzureWebJobsStorage='azurite!'
  export AZURITE_PORT_BASE='10000'

Ctrl-C stops it.

stopping Azurite, which saves its data
stopped; the data is in DATA
`
	have := strings.NewReplacer(data, "DATA", strings.ReplaceAll(data, "'", `'\''`), "QUOTED").Replace(out.String())
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"azurite azurite 10000", "azurite stopped"}, s.Events()); diff != "" {
		t.Errorf("events (-want +have):\n%s", diff)
	}
}

func TestAzuriteAloneEnds(t *testing.T) {
	p, _, _ := quietTerminal(nil)
	s := &stage{Stage: foldertest.Stage{AzuriteDies: true}}
	err := runAzurite(t.Context(), p, noEnv, folder.Options{PortBase: 10000, Data: t.TempDir()}, nil, s.Services())
	if err == nil || !strings.Contains(err.Error(), "azurite ended by itself") {
		t.Errorf("have %v", err)
	}
}
