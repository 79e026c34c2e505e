package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// runOn runs Tidemark, or Azurite alone, on a folder with actors for parts, and ends it after during.
func runOn(t *testing.T, what, data string, s *stage, during func()) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	env := map[string]string{}
	switch what {
	case "start on a given account":
		env["AzureWebJobsStorage"] = "given"
	case "start on Azurite":
		env["STORAGE"] = "azurite"
	}
	p := &program{out: &watchfulBuffer{interrupt: func() { during(); cancel() }}, err: &bytes.Buffer{},
		getenv: func(n string) string { return env[n] }}
	o := emulatorOptions{portBase: 10000, data: data}
	if what == "azurite" {
		return runAzurite(ctx, p, o, nil, s.parts().azurite)
	}
	return runStart(ctx, p, startOptions{app: appFolder(t), port: freePort(t), emulatorOptions: o}, s.parts())
}

// TestOneTidemarkPerFolder runs each way of using a folder while another uses it: no two Azurites
// and no two apps, but an app beside the Azurite that it was pointed to.
func TestOneTidemarkPerFolder(t *testing.T) {
	const files, start, given, azurite = "start", "start on Azurite", "start on a given account", "azurite"
	for _, tt := range []struct {
		first, second string
		refused       bool
	}{
		{start, start, true}, {start, azurite, true}, {start, given, true},
		{azurite, start, true}, {azurite, azurite, true}, {azurite, given, false},
		{given, start, true}, {given, azurite, false}, {given, given, true},
		{files, start, true}, {files, azurite, false}, {files, files, true}, {azurite, files, false},
	} {
		t.Run(tt.second+" beside "+tt.first, func(t *testing.T) {
			data := t.TempDir()
			inner := &stage{interrupt: func() {}}
			var second error
			first := runOn(t, tt.first, data, &stage{interrupt: func() {}}, func() {
				second = runOn(t, tt.second, data, inner, func() {})
			})
			if first != nil {
				t.Fatal(first)
			}
			if !tt.refused {
				if second != nil {
					t.Errorf("refused: %v", second)
				}
				return
			}
			want := "the data folder " + data + " is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder"
			if second == nil || second.Error() != want {
				t.Errorf("have %v\nwant %s", second, want)
			}
			if diff := cmp.Diff([]string(nil), inner.events); diff != "" {
				t.Errorf("something was started (-want +have):\n%s", diff)
			}
			if err := runOn(t, tt.second, data, &stage{interrupt: func() {}}, func() {}); err != nil {
				t.Errorf("the folder was not given back: %v", err)
			}
		})
	}
}

// TestFolderIsFreeAfterAKill holds a folder in a process of its own, by running this test again,
// and kills it.
func TestFolderIsFreeAfterAKill(t *testing.T) {
	if data := os.Getenv("TIDEMARK_TEST_HOLD"); data != "" {
		if _, err := holdFolder(data, azuriteLock); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Minute)
	}
	data := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolderIsFreeAfterAKill$")
	cmd.Env = append(os.Environ(), "TIDEMARK_TEST_HOLD="+data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, whileHeld := holdFile(filepath.Join(data, azuriteLock))
	cmd.Process.Kill()
	cmd.Wait()
	if line != "held\n" || !errors.Is(whileHeld, errHeld) {
		t.Errorf("child said %q; while it lived: have %v, want %v", line, whileHeld, errHeld)
	}
	release, err := holdFolder(data, azuriteLock)
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	release()
}

func TestFolderThatCannotBeLocked(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, appLock), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := holdFolder(data, azuriteLock, appLock); err == nil || errors.Is(err, errHeld) {
		t.Errorf("have %v, want what the system says", err)
	}
	release, err := holdFolder(data, azuriteLock)
	if err != nil {
		t.Fatalf("the first of two locks was kept when the second was not to be had: %v", err)
	}
	release()
}
