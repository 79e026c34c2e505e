package main

import (
	"bytes"
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

	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
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

// quietProgram is a program whose outputs are kept.
func quietProgram(in io.Reader) (p *program, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	return &program{in: in, out: out, err: errOut, getenv: func(string) string { return "" }}, out, errOut
}

// TestAzuriteRunsFunc is F3: Core Tools see our storage and nobody else's, and all else of the
// command is as if it had been run without us.
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
	p, out, errOut := quietProgram(strings.NewReader("hello\n"))
	o := emulatorOptions{portBase: 20000, data: data}
	err := runAzurite(t.Context(), p, o, []string{"func", "start", "--script-root", "build/app"}, s.parts().azurite)
	if err != exitError(3) {
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
	if diff := cmp.Diff([]string{"azurite azurite 20000", "azurite stopped"}, s.events); diff != "" {
		t.Errorf("events (-want +have):\n%s", diff)
	}
}

func TestAzuriteCommandEnds(t *testing.T) {
	started, stopped := "azurite azurite 10000", "azurite stopped"
	for _, tt := range []struct {
		name    string
		script  string
		command string // func when empty
		stage   *stage
		stop    bool // end the context when the command says ready
		events  []string
		err     string // none when empty
	}{
		{name: "well", script: "exit 0", stage: &stage{}, events: []string{started, stopped}},
		{name: "by a signal", script: "kill -TERM $$", stage: &stage{}, events: []string{started, stopped},
			err: "exit code 143"},
		{name: "in order, when we are told to end", script: "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done",
			stage: &stage{}, stop: true, events: []string{started, stopped}, err: "exit code 7"},
		{name: "because azurite did", script: "trap 'exit 7' TERM; while :; do sleep 0.01; done",
			stage: &stage{azuriteDies: true}, events: []string{started, stopped}, err: "azurite ended by itself"},
		{name: "before it began: azurite does not start", script: "exit 0",
			stage:  &stage{azuriteErr: errors.New("port 10000 is in use")},
			events: []string{started}, err: "port 10000 is in use"},
		{name: "before it began: no such command", command: "fnuc", stage: &stage{},
			err: "executable file not found in $PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fakeFunc(t, tt.script)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, _, _ := quietProgram(strings.NewReader(""))
			if tt.stop {
				p.out = writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil })
			}
			command := "func"
			if tt.command != "" {
				command = tt.command
			}
			err := runAzurite(ctx, p, emulatorOptions{portBase: 10000, data: t.TempDir()}, []string{command},
				tt.stage.parts().azurite)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("have %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.events, tt.stage.events); diff != "" {
				t.Errorf("events (-want +have):\n%s", diff)
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestCommandIsToldOnce holds which signal reaches a command that a terminal may have told already.
func TestCommandIsToldOnce(t *testing.T) {
	const none, byInterrupt, byTerm = 5, 9, 8
	for _, tt := range []struct {
		name     string
		cause    error
		terminal bool
		want     int
	}{
		{"Ctrl-C comes from the terminal", interruption{os.Interrupt}, true, none},
		{"an interrupt without a terminal is passed on", interruption{os.Interrupt}, false, byInterrupt},
		{"a terminal does not pass on what it did not send", interruption{syscall.SIGTERM}, true, byTerm},
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
			p, _, _ := quietProgram(nil)
			p.notes.terminal = tt.terminal
			if err := (&emulation{p: p}).end(cmd.Process, tt.cause); err != nil {
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

// TestAzuriteAlone holds what a person sees who only wants the storage.
func TestAzuriteAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, _, _ := quietProgram(nil)
	out := &watchfulBuffer{interrupt: cancel}
	p.out = out
	s, data := &stage{}, filepath.Join(t.TempDir(), "it's mine")
	if err := runAzurite(ctx, p, emulatorOptions{portBase: 10000, data: data}, nil, s.parts().azurite); err != nil {
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
	if diff := cmp.Diff([]string{"azurite azurite 10000", "azurite stopped"}, s.events); diff != "" {
		t.Errorf("events (-want +have):\n%s", diff)
	}
}

func TestAzuriteAloneEnds(t *testing.T) {
	p, _, _ := quietProgram(nil)
	s := &stage{azuriteDies: true}
	err := runAzurite(t.Context(), p, emulatorOptions{portBase: 10000, data: t.TempDir()}, nil, s.parts().azurite)
	if err == nil || !strings.Contains(err.Error(), "azurite ended by itself") {
		t.Errorf("have %v", err)
	}
}

// TestAzuriteForReal runs the command line with the real Azurite, which must be there while the
// command runs and gone afterwards, and whose data must have been saved.
func TestAzuriteForReal(t *testing.T) {
	tools, err := azuritetest.ToolDir()
	if err != nil {
		t.Fatal(err)
	}
	fakeFunc(t, `exec node -e '
const at = /BlobEndpoint=([^;]*)/.exec(process.env.AzureWebJobsStorage)[1]
fetch(at + "?comp=list").then(r => { console.log("server:", r.headers.get("server").split("/")[0]); process.exit(6) })'`)
	data := t.TempDir()
	p, out, errOut := quietProgram(strings.NewReader(""))
	base := freePortBase(t)
	code := p.run(t.Context(), []string{"azurite", "--data", data, "--tools", tools, "--azurite-port-base", base, "--",
		"func", "start"})
	if code != 6 || out.String() != "server: Azurite-Blob\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errOut)
	}
	if _, err := os.Stat(filepath.Join(data, "azurite", "__azurite_db_blob__.json")); err != nil {
		t.Errorf("the data was not saved: %v", err)
	}
}

// TestAzuriteWithDamagedData starts the real Azurite on files that it cannot read.
func TestAzuriteWithDamagedData(t *testing.T) {
	tools, err := azuritetest.ToolDir()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	stored := filepath.Join(data, "azurite")
	if err := os.Mkdir(stored, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stored, "__azurite_db_blob__.json"), []byte(`{"filename": "cut of`),
		0o600); err != nil {
		t.Fatal(err)
	}
	p, _, errOut := quietProgram(nil)
	code := p.run(t.Context(), []string{"azurite", "--data", data, "--tools", tools, "--azurite-port-base",
		freePortBase(t), "--", "true"})
	want := `tidemark: starting Azurite (the first time it is downloaded, which takes a minute)
tidemark: azurite ended before it answered: exit status 1; the end of DATA/tidemark.log says why
if its data is damaged, move DATA/azurite away and start again; the registry in it is then lost
`
	if diff := cmp.Diff(want, strings.ReplaceAll(errOut.String(), data, "DATA")); code != 1 || diff != "" {
		t.Errorf("exit code %d; stderr (-want +have):\n%s", code, diff)
	}
	if log, err := os.ReadFile(filepath.Join(data, "tidemark.log")); err != nil || !strings.Contains(string(log), "JSON") {
		t.Errorf("the log does not say why: %s (%v)", log, err)
	}
}

func TestAzuriteRefuses(t *testing.T) {
	performAll(t, []script{
		{name: "a command without --", args: []string{"azurite", "func", "start"}, code: 2,
			err: "tidemark: put -- before the command, so that its flags are its own\nsee `tidemark azurite --help`\n"},
		{name: "a word before --", args: []string{"azurite", "func", "--", "start"}, code: 2,
			err: "tidemark: put -- before the command, so that its flags are its own\nsee `tidemark azurite --help`\n"},
		{name: "a port base that is none", args: []string{"azurite"}, env: map[string]string{"AZURITE_PORT_BASE": "0"},
			code: 2,
			err: "tidemark: --azurite-port-base (AZURITE_PORT_BASE) is \"0\": give a port of 1 to 65533\nsee `tidemark " +
				"azurite --help`\n"},
		{name: "a command that is not there", args: []string{"azurite", "--", "/nowhere/func"}, code: 1,
			err: "tidemark: exec: \"/nowhere/func\": stat /nowhere/func: no such file or directory\n"},
	})
}

// An older host would answer every HTTP function with 500, and not say why.
func TestS10MakeFuncWantsAHostThatProxies(t *testing.T) {
	for version, old := range map[string]bool{"4.0.7030": true, "4.4.0": true, "3.0.5682": true, "4.4.1": false,
		"4.14.0": false} {
		fakeFunc(t, `test "$1" = --version && echo `+version)
		out, err := exec.Command("make", "--no-print-directory", "-C", "../..", "func-version").CombinedOutput()
		if told := strings.Contains(string(out), "install Azure Functions Core Tools 4.4.1 or newer"); told != old ||
			(err != nil) != old {
			t.Errorf("%s: %v %s", version, err, out)
		}
	}
}
