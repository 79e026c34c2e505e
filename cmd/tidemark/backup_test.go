package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/local/programtest"
)

// runIn runs the command with the settings in env.
func runIn(t testing.TB, env map[string]string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &terminal.Terminal{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Name: "tidemark", Now: time.Now,
		Sleep: defaults.Pause}
	code = run(t.Context(), p, func(n string) string { return env[n] }, args)
	return code, stdout.String(), stderr.String()
}

// well is runIn for a command that must succeed.
func well(t testing.TB, env map[string]string, args ...string) string {
	t.Helper()
	code, out, errOut := runIn(t, env, args...)
	if code != command.OK {
		t.Fatalf("%v: exit code %d: %s", args, code, errOut)
	}
	return out
}

// refusedWith checks that a command fails with a message that contains says.
func refusedWith(t testing.TB, env map[string]string, says string, args ...string) {
	t.Helper()
	code, _, errOut := runIn(t, env, args...)
	if code != command.Failure || !strings.Contains(errOut, says) {
		t.Errorf("%v: exit code %d, %q; want %q", args, code, errOut, says)
	}
}

// TestL5BackupAndRestore makes a backup and restores it, and checks every refusal of either command.
func TestL5BackupAndRestore(t *testing.T) {
	old, other := foldertest.Marked(t, "old"), foldertest.Marked(t, "other")
	file := filepath.Join(t.TempDir(), "a.backup")
	env := foldertest.Embedded(old)
	if out := well(t, env, "backup", file); !strings.Contains(out, "11 snapshots") {
		t.Errorf("backup says %q", out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v (%v)", info.Mode(), err)
	}
	refusedWith(t, env, "is there already", "backup", file)
	well(t, env, "backup", "--overwrite", file)
	if names, _ := filepath.Glob(file + "?*"); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if out := well(t, nil, "restore", "--check", file); !strings.Contains(out, "is whole: 0 rows, 0 messages and 11") {
		t.Errorf("check says %q", out)
	}
	fresh := filepath.Join(t.TempDir(), "new")
	well(t, nil, "restore", "--data", fresh, file)
	if mark := foldertest.ContentOf(t, app.StoreFolder(fresh)); mark != "old" {
		t.Errorf("restored %q", mark)
	}
	t.Run("refused", func(t *testing.T) { refusedRestores(t, file, other) })
	out := well(t, foldertest.Embedded(other), "restore", "--force", file)
	_, aside, _ := strings.Cut(out, "what was there before is in ")
	aside, _, _ = strings.Cut(aside, "\n")
	now, before := foldertest.ContentOf(t, app.StoreFolder(other)), foldertest.ContentOf(t, app.StoreFolder(aside))
	if now != "old" || before != "other" {
		t.Errorf("now %q, before %q", now, before)
	}
	if folder.Exists(filepath.Join(other, "index.db")) || !folder.Exists(filepath.Join(aside, "index.db")) ||
		folder.Exists(filepath.Join(other, "restoring")) {
		t.Error("the old index would answer for the restored store")
	}
	refusedWith(t, map[string]string{"STORAGE": "account", "TIDEMARK_DATA": old}, "export FOLDER", "backup", file+"2")
	refusedWith(t, foldertest.Embedded(t.TempDir()), "no app ever ran", "backup", file+"3")
}

// refusedRestores checks that a refused restore leaves the store of data unchanged.
func refusedRestores(t *testing.T, file, data string) {
	refusedWith(t, foldertest.Embedded(data), "has a store already", "restore", file)
	release, err := folder.Hold(data, folder.AppLock)
	if err != nil {
		t.Fatal(err)
	}
	refusedWith(t, foldertest.Embedded(data), "in use", "restore", "--force", file)
	release()
	bytes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bytes[len(bytes)/2] ^= 1
	damaged := filepath.Join(t.TempDir(), "damaged")
	foldertest.Write(t, damaged, string(bytes))
	refusedWith(t, foldertest.Embedded(data), "nothing was changed", "restore", "--force", damaged)
	refusedWith(t, nil, "damaged", "restore", "--check", damaged)
	if mark := foldertest.ContentOf(t, app.StoreFolder(data)); mark != "other" {
		t.Errorf("now there is %q", mark)
	}
}

// TestL5StandardStreams sends a backup through a pipe.
func TestL5StandardStreams(t *testing.T) {
	backup := well(t, foldertest.Embedded(foldertest.Marked(t, "piped")), "backup", "-")
	fresh := t.TempDir()
	p := &terminal.Terminal{In: strings.NewReader(backup), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Now: time.Now,
		Sleep: defaults.Pause}
	getenv := func(n string) string { return foldertest.Embedded(fresh)[n] }
	if code := run(t.Context(), p, getenv, []string{"restore", "-"}); code != command.OK {
		t.Fatalf("exit code %d: %s", code, p.Err)
	}
	if mark := foldertest.ContentOf(t, app.StoreFolder(fresh)); mark != "piped" {
		t.Errorf("restored %q", mark)
	}
}

// killedAt starts the program and kills it a little after a file that matches glob appears. It reports whether the
// program was still running.
func killedAt(t *testing.T, program, data, glob string, wait time.Duration, args ...string) bool {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "STORAGE=embedded", "TIDEMARK_DATA="+data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for deadline := time.After(time.Minute); ; {
		if names, _ := filepath.Glob(glob); len(names) > 0 {
			break
		}
		select {
		case err := <-ended:
			return err != nil
		case <-deadline:
			t.Fatalf("no %s within a minute", glob)
		default:
		}
	}
	time.Sleep(wait)
	_ = cmd.Process.Kill()
	return (<-ended) != nil
}

// TestL5KilledBackup kills a backup at many moments, and checks that half a backup is never left.
func TestL5KilledBackup(t *testing.T) {
	program, data, killed := programtest.Build(t), foldertest.Marked(t, "old"), 0
	file := filepath.Join(t.TempDir(), "a.backup")
	for n := range 8 {
		_ = os.Remove(file)
		if killedAt(t, program, data, file+".part*", time.Duration(n)*4*time.Millisecond, "backup", file) {
			killed++
		}
		if folder.Exists(file) {
			well(t, nil, "restore", "--check", file)
		}
	}
	if killed == 0 {
		t.Error("no kill came in time, which proves nothing")
	}
	well(t, foldertest.Embedded(data), "backup", "--overwrite", file)
	if left, _ := filepath.Glob(file + ".part*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d of 8 killed", killed)
}

// TestL5KilledRestore kills a restore at many moments. The data folder always has a whole store, the old one or the
// restored one, and the data that was put aside is whole, too.
func TestL5KilledRestore(t *testing.T) {
	program, file := programtest.Build(t), filepath.Join(t.TempDir(), "a.backup")
	well(t, foldertest.Embedded(foldertest.Marked(t, "new")), "backup", file)
	marks, killed := map[string]int{}, 0
	for n, glob := range []string{"restoring", "restoring" + "/store/state.db", "restoring" + "/store/blobs/marks/*",
		"replaced-*", "replaced-*/index.db", "index.db"} {
		for wait := range 2 {
			data := foldertest.Marked(t, "old")
			if killedAt(t, program, data, filepath.Join(data, glob), time.Duration(wait*(5-n))*3*time.Millisecond,
				"restore", "--force", file) {
				killed++
			}
			mark := foldertest.ContentOf(t, app.StoreFolder(data))
			marks[mark]++
			if mark == "new" && folder.Exists(filepath.Join(data, "index.db")) {
				t.Errorf("killed at %s: the index of another store is in use", glob)
			}
			asides, err := filepath.Glob(filepath.Join(data, "replaced-*/store"))
			if err != nil || mark == "new" && len(asides) != 1 {
				t.Errorf("killed at %s: put aside %v (%v)", glob, asides, err)
			}
			for _, aside := range asides {
				if have := foldertest.ContentOf(t, aside); have == mark {
					t.Errorf("killed at %s: put aside %q twice", glob, have)
				}
			}
			well(t, foldertest.Embedded(data), "restore", "--force", file)
		}
	}
	if killed < 6 || marks["old"] == 0 || marks["old"]+marks["new"] != 12 {
		t.Errorf("%d of 12 killed, and then there were %v", killed, marks)
	}
	t.Logf("%d of 12 killed, and then there were %v", killed, marks)
}
