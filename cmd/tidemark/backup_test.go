package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/pause"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// runIn runs the command with these settings.
func runIn(t testing.TB, env map[string]string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &stdout, err: &stderr, getenv: func(n string) string { return env[n] },
		now: time.Now, sleep: pause.For}
	code = p.run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// well is runIn for what must go well.
func well(t testing.TB, env map[string]string, args ...string) string {
	t.Helper()
	code, out, errOut := runIn(t, env, args...)
	if code != exitOK {
		t.Fatalf("%v: exit code %d: %s", args, code, errOut)
	}
	return out
}

// refusedWith wants a command to fail and to say so.
func refusedWith(t testing.TB, env map[string]string, says string, args ...string) {
	t.Helper()
	code, _, errOut := runIn(t, env, args...)
	if code != exitFailure || !strings.Contains(errOut, says) {
		t.Errorf("%v: exit code %d, %q; want %q", args, code, errOut, says)
	}
}

// markedStore makes a data folder whose store has a mark, and blobs enough to be killed over.
func markedStore(t testing.TB, mark string) (data string) {
	t.Helper()
	data = t.TempDir()
	s, err := sqlitestore.Open(app.StoreFolder(data), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	blobs := s.Container("marks")
	if err := blobs.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{mark}, strings.Split("abcdefghij", "")...) {
		if _, err := blobs.Put(t.Context(), name, storage.Blob{Body: bytes.Repeat([]byte(mark), 50_000)}); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, filepath.Join(data, "index.db"), "index of "+mark)
	return data
}

func writeText(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// markOf is that of a store, every blob of which is read.
func markOf(t testing.TB, store string) (mark string) {
	t.Helper()
	s, err := sqlitestore.Open(store, sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for name, err := range s.Container("marks").List(t.Context(), "") {
		if err == nil {
			_, err = s.Container("marks").Get(t.Context(), name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(name) > 1 {
			mark = name
		}
	}
	if n != 11 {
		t.Errorf("%s has %d of 11 blobs", store, n)
	}
	return mark
}

// TestL5BackupAndRestore is the way there and back, and every refusal on it.
func TestL5BackupAndRestore(t *testing.T) {
	old, other := markedStore(t, "old"), markedStore(t, "other")
	file := filepath.Join(t.TempDir(), "a.backup")
	env := embeddedIn(old)
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
	if mark := markOf(t, app.StoreFolder(fresh)); mark != "old" {
		t.Errorf("restored %q", mark)
	}
	t.Run("refused", func(t *testing.T) { refusedRestores(t, file, other) })
	out := well(t, embeddedIn(other), "restore", "--force", file)
	_, aside, _ := strings.Cut(out, "what was there before is in ")
	aside, _, _ = strings.Cut(aside, "\n")
	now, before := markOf(t, app.StoreFolder(other)), markOf(t, app.StoreFolder(aside))
	if now != "old" || before != "other" {
		t.Errorf("now %q, before %q", now, before)
	}
	if exists(filepath.Join(other, "index.db")) || !exists(filepath.Join(aside, "index.db")) ||
		exists(filepath.Join(other, restoringDir)) {
		t.Error("the old index would answer for the restored store")
	}
	refusedWith(t, map[string]string{"STORAGE": "account", "TIDEMARK_DATA": old}, "export FOLDER", "backup", file+"2")
	refusedWith(t, embeddedIn(t.TempDir()), "no app ever ran", "backup", file+"3")
}

// refusedRestores leave the store of data as it is.
func refusedRestores(t *testing.T, file, data string) {
	refusedWith(t, embeddedIn(data), "has a store already", "restore", file)
	release, err := holdFolder(data, appLock)
	if err != nil {
		t.Fatal(err)
	}
	refusedWith(t, embeddedIn(data), "in use", "restore", "--force", file)
	release()
	bytes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bytes[len(bytes)/2] ^= 1
	damaged := filepath.Join(t.TempDir(), "damaged")
	writeText(t, damaged, string(bytes))
	refusedWith(t, embeddedIn(data), "nothing was changed", "restore", "--force", damaged)
	refusedWith(t, nil, "damaged", "restore", "--check", damaged)
	if mark := markOf(t, app.StoreFolder(data)); mark != "other" {
		t.Errorf("now there is %q", mark)
	}
}

// TestL5StandardStreams sends a backup through a pipe.
func TestL5StandardStreams(t *testing.T) {
	backup := well(t, embeddedIn(markedStore(t, "piped")), "backup", "-")
	fresh := t.TempDir()
	p := &program{in: strings.NewReader(backup), out: &bytes.Buffer{}, err: &bytes.Buffer{},
		getenv: func(n string) string { return embeddedIn(fresh)[n] }, now: time.Now, sleep: pause.For}
	if code := p.run(t.Context(), []string{"restore", "-"}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, p.err)
	}
	if mark := markOf(t, app.StoreFolder(fresh)); mark != "piped" {
		t.Errorf("restored %q", mark)
	}
}

// killedAt starts the program and kills it once a file that matches appears and some time went by; it
// reports whether the program was still at work.
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

// TestL5KilledBackup kills a backup at many moments: there is never half of one.
func TestL5KilledBackup(t *testing.T) {
	program, data, killed := buildProgram(t), markedStore(t, "old"), 0
	file := filepath.Join(t.TempDir(), "a.backup")
	for n := range 8 {
		_ = os.Remove(file)
		if killedAt(t, program, data, file+".part*", time.Duration(n)*4*time.Millisecond, "backup", file) {
			killed++
		}
		if exists(file) {
			well(t, nil, "restore", "--check", file)
		}
	}
	if killed == 0 {
		t.Error("no kill came in time, which proves nothing")
	}
	well(t, embeddedIn(data), "backup", "--overwrite", file)
	if left, _ := filepath.Glob(file + ".part*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d of 8 killed", killed)
}

// TestL5KilledRestore kills a restore at many moments: the data folder always has a store that is whole, the one
// before or the restored one, and what was put aside is whole, too.
func TestL5KilledRestore(t *testing.T) {
	program, file := buildProgram(t), filepath.Join(t.TempDir(), "a.backup")
	well(t, embeddedIn(markedStore(t, "new")), "backup", file)
	marks, killed := map[string]int{}, 0
	for n, glob := range []string{restoringDir, restoringDir + "/store/state.db", restoringDir + "/store/blobs/marks/*",
		"replaced-*", "replaced-*/index.db", "index.db"} {
		for wait := range 2 {
			data := markedStore(t, "old")
			if killedAt(t, program, data, filepath.Join(data, glob), time.Duration(wait*(5-n))*3*time.Millisecond,
				"restore", "--force", file) {
				killed++
			}
			mark := markOf(t, app.StoreFolder(data))
			marks[mark]++
			if mark == "new" && exists(filepath.Join(data, "index.db")) {
				t.Errorf("killed at %s: the index of another store is in use", glob)
			}
			asides, err := filepath.Glob(filepath.Join(data, "replaced-*/store"))
			if err != nil || mark == "new" && len(asides) != 1 {
				t.Errorf("killed at %s: put aside %v (%v)", glob, asides, err)
			}
			for _, aside := range asides {
				if have := markOf(t, aside); have == mark {
					t.Errorf("killed at %s: put aside %q twice", glob, have)
				}
			}
			well(t, embeddedIn(data), "restore", "--force", file)
		}
	}
	if killed < 6 || marks["old"] == 0 || marks["old"]+marks["new"] != 12 {
		t.Errorf("%d of 12 killed, and then there were %v", killed, marks)
	}
	t.Logf("%d of 12 killed, and then there were %v", killed, marks)
}

// TestL5ExchangeByHand is the exchange where a file system cannot do it in one step, and what is said of one
// that was killed halfway.
func TestL5ExchangeByHand(t *testing.T) {
	data := t.TempDir()
	fresh, used := filepath.Join(data, "replaced-1", "store"), app.StoreFolder(data)
	for _, dir := range []string{fresh, used} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, "mark"), dir)
	}
	if err := exchangeByHand(fresh, used); err != nil {
		t.Fatal(err)
	}
	for _, dir := range [][2]string{{fresh, used}, {used, fresh}} {
		if mark, err := os.ReadFile(filepath.Join(dir[0], "mark")); err != nil || string(mark) != dir[1] {
			t.Errorf("%s has the store of %s (%v)", dir[0], mark, err)
		}
	}
	if err := os.Rename(used, fresh+oldStore); err != nil {
		t.Fatal(err)
	}
	refusedWith(t, embeddedIn(data), "a restore was killed halfway: move "+fresh+oldStore, "start")
}
