package local

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// quietTerminalMove returns a terminal that keeps its outputs.
func quietTerminalMove(in io.Reader) (p *terminal.Terminal, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	return &terminal.Terminal{In: in, Out: out, Err: errOut, Name: "tidemark"}, out, errOut
}

// TestMoveFromAzurite checks that an export asks for STORAGE as a start does, that an import does not, and that an
// export of an empty folder writes nothing.
func TestMoveFromAzurite(t *testing.T) {
	p, _, _ := quietTerminalMove(nil)
	data := foldertest.With(t, folder.Azurite)
	if kind, err := sourceKind(p, noEnvMove, data); err == nil || !strings.Contains(err.Error(),
		"STORAGE=azurite tidemark export --data ") {
		t.Errorf("export: have %q, %v", kind, err)
	}
	if kind, err := folder.KindOf(noEnvMove); err != nil || kind != folder.Embedded {
		t.Errorf("import: have %q, %v", kind, err)
	}
	empty := t.TempDir()
	want := empty + "/store is not there: no app ever ran on the embedded store of this data folder, " +
		"so it has no state to export"
	if _, err := sourceKind(p, noEnvMove, empty); err == nil || err.Error() != want {
		t.Errorf("have %v, want %s", err, want)
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) != 0 {
		t.Errorf("%d files were made, %v", len(entries), err)
	}
}

// TestMovePassesOnTheKind checks that the chosen store is the one that is opened.
func TestMovePassesOnTheKind(t *testing.T) {
	s := &foldertest.Stage{}
	p, _, _ := quietTerminalMove(nil)
	move := func(context.Context, storage.Store, string, transfer.Plan, transfer.Options) (string, transfer.Report,
		error) {
		return "moved", transfer.Report{}, nil
	}
	o := folder.Options{PortBase: 20000, Data: t.TempDir()}
	if err := (moving{p, noEnvMove, s.Services(), move}).run(t.Context(), folder.Embedded, o, "dir"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"open the folder", "store closed"}, s.Events()); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestMoveStateStartsAzurite checks the order in which the services of a folder start and stop.
func TestMoveStateStartsAzurite(t *testing.T) {
	s := &foldertest.Stage{}
	p, out, _ := quietTerminalMove(strings.NewReader(""))
	p.Now = time.Now
	move := func(context.Context, storage.Store, string, transfer.Plan, transfer.Options) (string, transfer.Report,
		error) {
		s.Event("moved")
		return "moved", transfer.Report{Rows: 2}, nil
	}
	o := folder.Options{PortBase: 20000, Data: t.TempDir()}
	if err := (moving{p, noEnvMove, s.Services(), move}).run(t.Context(), folder.Azurite, o, "dir"); err != nil {
		t.Fatal(err)
	}
	want := []string{"azurite azurite 20000", "open azurite!", "moved", "store closed", "azurite stopped"}
	if diff := cmp.Diff(want, s.Events()); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if out.String() != "moved 2 rows and 0 snapshots (0 bytes)\n" {
		t.Error(out.String())
	}
}

// TestMoveStateShowsProgress checks that each table has a progress bar, with or without a total.
func TestMoveStateShowsProgress(t *testing.T) {
	p, _, errOut := quietTerminalMove(strings.NewReader(""))
	p.Notes = terminal.Screen{Terminal: true, Width: 80}
	move := func(_ context.Context, _ storage.Store, _ string, _ transfer.Plan, o transfer.Options) (string,
		transfer.Report, error) {
		o.Progress(transfer.Progress{Doing: "exporting", Name: "Runs", Done: 1, Total: -1})
		o.Progress(transfer.Progress{Doing: "exporting", Name: "snapshots", Done: 1, Total: 3})
		o.Progress(transfer.Progress{Doing: "verifying", Name: "Runs", Done: 0, Total: 0})
		return "exported", transfer.Report{}, nil
	}
	if err := (moving{t: p, do: move}).shown(t.Context(), nil, "dir", transfer.Plan{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exporting Runs", "exporting snapshots", "1/3"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("no %q in %q", want, errOut)
		}
	}
}

func noEnvMove(string) string { return "" }
