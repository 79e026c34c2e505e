package main

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestZ1ProgramRefusesOldRows starts the program on a folder whose rows are of a form from before the first release.
// It refuses with the way out, and no file of the folder changes.
func TestZ1ProgramRefusesOldRows(t *testing.T) {
	data := t.TempDir()
	beginAsBefore(t, data)
	before := hashes(t, data)
	exe := programtest.Build(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a program that does not refuse would run on
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "start", "--port", strconv.Itoa(foldertest.FreePort(t)))
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=", "TIDEMARK_DATA=" + data}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 ||
		!strings.Contains(string(out), "the state was begun by a version from before the first release") ||
		!strings.Contains(string(out), "`tidemark import sources.csv`") {
		t.Errorf("%v: %s", err, out)
	}
	if after := hashes(t, data); len(before) == 0 || !maps.Equal(before, after) {
		t.Errorf("written to:\n%x\nwas\n%x", after, before)
	}
}

// beginAsBefore gives a data folder the row with which a version with older rules for texts recorded its run.
func beginAsBefore(t *testing.T, data string) {
	t.Helper()
	env := foldertest.Embedded(data)
	store, err := app.OpenStore(func(name string) string { return env[name] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	runs := store.Table(snapshot.RunsTable)
	if err := runs.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	old := storage.Entity{Key: storage.Key{Partition: "run", Row: "crawl-http_snapshot_url_v2_text_v3"},
		Props: storage.Properties{"normalizationVersion": "http_snapshot_url_v2_text_v3"}}
	if _, err := runs.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: old}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// hashes returns the hash of each file below a folder that holds anything. Locks and an unused log are empty.
func hashes(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if len(text) > 0 {
			all[path] = sha256.Sum256(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
