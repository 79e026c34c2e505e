package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/azurite"
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

// quietTerminal returns a terminal that keeps its outputs.
func quietTerminal(in io.Reader) (p *terminal.Terminal, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	return &terminal.Terminal{In: in, Out: out, Err: errOut, Name: "tidemark"}, out, errOut
}

// TestAzuriteForReal runs a command with the real Azurite. Azurite must run while the command does, must have stopped
// afterwards, and must have saved its data.
func TestAzuriteForReal(t *testing.T) {
	tools := treetest.Tools(t)
	fakeFunc(t, `exec node -e '
const at = /BlobEndpoint=([^;]*)/.exec(process.env.AzureWebJobsStorage)[1]
fetch(at + "?comp=list").then(r => { console.log("server:", r.headers.get("server").split("/")[0]); process.exit(6) })'`)
	data := t.TempDir()
	p, out, errOut := quietTerminal(strings.NewReader(""))
	base := freePortBase(t)
	code := run(t.Context(), p, noEnv, []string{"azurite", "--data", data, "--tools", tools, "--azurite-port-base", base,
		"--",
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
	tools := treetest.Tools(t)
	data := t.TempDir()
	stored := filepath.Join(data, "azurite")
	if err := os.Mkdir(stored, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stored, "__azurite_db_blob__.json"), []byte(`{"filename": "cut of`),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := azurite.Install(t.Context(), tools, nil); err != nil {
		t.Fatal(err)
	}
	p, _, errOut := quietTerminal(nil)
	code := run(t.Context(), p, noEnv, []string{"azurite", "--data", data, "--tools", tools, "--azurite-port-base",
		freePortBase(t), "--", "true"})
	want := `tidemark: starting Azurite
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

// TestS10MakeFuncWantsAHostThatProxies checks that an older host is refused: it would answer every HTTP function with
// 500 and give no reason.
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
