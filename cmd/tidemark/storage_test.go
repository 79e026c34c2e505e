package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// folderWith is a data folder in which these stores have state.
func folderWith(t *testing.T, kinds ...string) string {
	t.Helper()
	data := t.TempDir()
	for _, kind := range kinds {
		name := filepath.Join(azuriteFolder(data), "__azurite_db_table__.json")
		if kind == embedded {
			name = filepath.Join(app.StoreFolder(data), "state.db")
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// TestStorageOf: state that is in the folder is never passed over without a word, unless somebody
// chose to.
func TestStorageOf(t *testing.T) {
	const undecided = `tidemark: DATA/azurite holds state of Azurite, and the default is now the embedded store, which is empty
to go on with Azurite, set STORAGE=azurite
to begin anew beside it, set STORAGE=embedded
to move the state into the embedded store, run
STORAGE=azurite tidemark export --data 'DATA' moved-state
STORAGE=embedded tidemark import-state --data 'DATA' moved-state
`
	const beside = "tidemark: DATA/azurite holds state too; it is not used (STORAGE=azurite uses it; once it was moved, " +
		"delete it)\n"
	const noApp = "tidemark: nowhere has no host.json: write it with `tidemark app nowhere`, or leave --app out\n"
	both := []string{embedded, ownAzurite}
	for _, tt := range []struct {
		name string
		has  []string
		env  map[string]string
		err  string
	}{
		{"an empty folder", nil, nil, noApp},
		{"state of the embedded store", []string{embedded}, nil, noApp},
		{"state of Azurite", []string{ownAzurite}, nil, undecided},
		{"state of Azurite, which is asked for", []string{ownAzurite}, map[string]string{"STORAGE": "azurite"}, noApp},
		{"state of Azurite, and embedded is asked for", []string{ownAzurite}, map[string]string{"STORAGE": "embedded"},
			noApp},
		{"state of Azurite, and an account is named", []string{ownAzurite}, map[string]string{"AzureWebJobsStorage": "given"},
			noApp},
		{"state of both", both, nil, beside + noApp},
		{"state of both, and embedded is asked for", both, map[string]string{"STORAGE": "embedded"}, noApp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := folderWith(t, tt.has...)
			perform(t, script{args: []string{"start", "--data", data, "--app", "nowhere"}, env: tt.env, code: 1,
				err: strings.ReplaceAll(tt.err, "DATA", data)})
		})
	}
}

// TestMoveFromAzurite: an export asks as a start does, an import does not, and an export of
// nothing makes nothing.
func TestMoveFromAzurite(t *testing.T) {
	p, _, _ := quietProgram(nil)
	data := folderWith(t, ownAzurite)
	if kind, err := sourceKind(p, data); err == nil || !strings.Contains(err.Error(),
		"STORAGE=azurite tidemark export --data ") {
		t.Errorf("export: have %q, %v", kind, err)
	}
	if kind, err := targetKind(p, data); err != nil || kind != embedded {
		t.Errorf("import: have %q, %v", kind, err)
	}
	empty := t.TempDir()
	perform(t, script{args: []string{"export", "--data", empty, filepath.Join(empty, "state")}, code: 1,
		err: "tidemark: " + empty +
			"/store is not there: no app ever ran on the embedded store of this data folder, so it has no state to export\n"})
	if entries, err := os.ReadDir(empty); err != nil || len(entries) != 0 {
		t.Errorf("%d files were made, %v", len(entries), err)
	}
}

// TestMovePassesOnTheKind: the store that is opened is the one that was chosen.
func TestMovePassesOnTheKind(t *testing.T) {
	s := &stage{}
	p, _, _ := quietProgram(nil)
	move := func(context.Context, storage.Store, string, transfer.Plan, transfer.Options) (string, transfer.Report,
		error) {
		return "moved", transfer.Report{}, nil
	}
	o := emulatorOptions{portBase: 20000, data: t.TempDir()}
	if err := moveState(t.Context(), p, embedded, o, "dir", move, s.parts()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"open the folder", "store closed"}, s.events); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}
