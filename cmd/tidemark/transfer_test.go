package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
	pushed "github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// embeddedIn names the embedded store of a data folder.
func embeddedIn(data string) map[string]string {
	return map[string]string{"STORAGE": "embedded", "TIDEMARK_DATA": data}
}

// stateIn makes a data folder whose embedded store has one item and one snapshot.
func stateIn(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	env := embeddedIn(data)
	store, err := app.OpenStore(func(n string) string { return env[n] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	reg, snaps := registry.New(store, registry.Options{}), snapshot.New(store)
	if err := errors.Join(reg.Create(t.Context()), snaps.Create(t.Context()),
		pushed.New(store, pushed.Options{}).Create(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(enrich.Tables(enrich.Schemas()), mailimport.Table, backfill.Table, activity.Table) {
		if err := store.Table(name).Create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	src, err := source.DefaultRules().ParseURL("https://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.Items.Register(t.Context(), []source.Source{src}, registry.RegisterOptions{})[0].Err; err != nil {
		t.Fatal(err)
	}
	body := []byte("hello")
	if _, err := snaps.Save(t.Context(), snapshot.Capture{ItemID: src.ID(), RawHash: snapshot.Hash(body),
		CapturedAt: noon}, body, snapshot.Had{}); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMoveState(t *testing.T) {
	old, fresh, dir := stateIn(t), t.TempDir(), filepath.Join(t.TempDir(), "state")
	moved := "17 rows and 1 snapshot (5 bytes)"
	performAll(t, []script{
		{name: "out", args: []string{"export", dir}, env: embeddedIn(old), out: "exported " + moved + "\n"},
		{name: "not over another", args: []string{"export", dir}, env: embeddedIn(old), code: 1,
			err: "tidemark: export: " + dir + " holds a finished export: choose another folder\n"},
		{name: "in", args: []string{"import-state", dir}, env: embeddedIn(fresh),
			out: "imported and compared " + moved + "\n"},
		{name: "in again", args: []string{"import-state", dir}, env: embeddedIn(fresh),
			out: "imported and compared " + moved + "; 18 were there already, 0 were replaced\n"},
		{name: "no folder", args: []string{"import-state"}, code: 2,
			err: "tidemark: give one folder, not 0\nsee `tidemark import-state --help`\n"},
		{name: "no export", args: []string{"import-state", old}, env: embeddedIn(t.TempDir()), code: 1,
			err: "tidemark: import: " + old + " has no manifest.json: it holds no finished export\n"},
		{name: "another storage", args: []string{"export", dir}, env: map[string]string{"STORAGE": "floppy"}, code: 2,
			err: "tidemark: STORAGE is \"floppy\": allowed are embedded (the default), azurite, and account for what " +
				"AzureWebJobsStorage names\nsee `tidemark export --help`\n"},
	})
	damaged := filepath.Join(dir, "tables", "IngestItems.jsonl")
	b, err := os.ReadFile(damaged)
	if err == nil {
		err = os.WriteFile(damaged, bytes.Replace(b, []byte("Pending"), []byte("Indexed"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	perform(t, script{args: []string{"import-state", dir}, env: embeddedIn(t.TempDir()), code: 1,
		err: "tidemark: import: tables/IngestItems.jsonl:2: the row does not match its digest\n"})
}

func TestMoveStateOfARunningApp(t *testing.T) {
	data := folderWith(t, embedded)
	release, err := holdFolder(data, appLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, command := range []string{"export", "import-state"} {
		perform(t, script{args: []string{command, filepath.Join(data, "state")}, env: embeddedIn(data), code: 1,
			err: "tidemark: the data folder " + data +
				" is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder\n"})
	}
}

// TestMoveStateStartsAzurite holds the order in which services of our own start and stop.
func TestMoveStateStartsAzurite(t *testing.T) {
	s := &stage{}
	p, out, _ := quietProgram(strings.NewReader(""))
	p.now = time.Now
	move := func(context.Context, storage.Store, string, transfer.Plan, transfer.Options) (string, transfer.Report,
		error) {
		s.event("moved")
		return "moved", transfer.Report{Rows: 2}, nil
	}
	o := emulatorOptions{portBase: 20000, data: t.TempDir()}
	if err := moveState(t.Context(), p, ownAzurite, o, "dir", move, s.parts()); err != nil {
		t.Fatal(err)
	}
	want := []string{"azurite azurite 20000", "open azurite!", "moved", "store closed", "azurite stopped"}
	if diff := cmp.Diff(want, s.events); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if out.String() != "moved 2 rows and 0 snapshots (0 bytes)\n" {
		t.Error(out.String())
	}
}

// TestMoveStateShowsProgress holds that each table has a bar, with a total or without.
func TestMoveStateShowsProgress(t *testing.T) {
	p, _, errOut := quietProgram(strings.NewReader(""))
	p.notes = screen{terminal: true, width: 80}
	move := func(_ context.Context, _ storage.Store, _ string, _ transfer.Plan, o transfer.Options) (string,
		transfer.Report, error) {
		o.Progress(transfer.Progress{Doing: "exporting", Name: "Runs", Done: 1, Total: -1})
		o.Progress(transfer.Progress{Doing: "exporting", Name: "snapshots", Done: 1, Total: 3})
		o.Progress(transfer.Progress{Doing: "verifying", Name: "Runs", Done: 0, Total: 0})
		return "exported", transfer.Report{}, nil
	}
	if err := moveShown(t.Context(), p, nil, "dir", transfer.Plan{}, move); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exporting Runs", "exporting snapshots", "1/3"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("no %q in %q", want, errOut)
		}
	}
}
