package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
)

// TestStorageOf checks that state in the folder is never ignored silently, unless the user chose another storage.
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
	both := []string{folder.Embedded, folder.Azurite}
	for _, tt := range []struct {
		name string
		has  []string
		env  map[string]string
		err  string
	}{
		{"an empty folder", nil, nil, noApp},
		{"state of the embedded store", []string{folder.Embedded}, nil, noApp},
		{"state of Azurite", []string{folder.Azurite}, nil, undecided},
		{"state of Azurite, which is asked for", []string{folder.Azurite}, map[string]string{"STORAGE": "azurite"}, noApp},
		{"state of Azurite, and embedded is asked for", []string{folder.Azurite}, map[string]string{"STORAGE": "embedded"},
			noApp},
		{"state of Azurite, and an account is named", []string{folder.Azurite},
			map[string]string{"AzureWebJobsStorage": "given"},
			noApp},
		{"state of both", both, nil, beside + noApp},
		{"state of both, and embedded is asked for", both, map[string]string{"STORAGE": "embedded"}, noApp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := foldertest.With(t, tt.has...)
			perform(t, script{args: []string{"start", "--data", data, "--app", "nowhere"}, env: tt.env, code: 1,
				err: strings.ReplaceAll(tt.err, "DATA", data)})
		})
	}
}

func TestMoveState(t *testing.T) {
	old, fresh, dir := foldertest.WithItem(t, noon), t.TempDir(), filepath.Join(t.TempDir(), "state")
	moved := "17 rows and 1 snapshot (5 bytes)"
	performAll(t, []script{
		{name: "out", args: []string{"export", dir}, env: foldertest.Embedded(old), out: "exported " + moved + "\n"},
		{name: "not over another", args: []string{"export", dir}, env: foldertest.Embedded(old), code: 1,
			err: "tidemark: export: " + dir + " holds a finished export: choose another folder\n"},
		{name: "in", args: []string{"import-state", dir}, env: foldertest.Embedded(fresh),
			out: "imported and compared " + moved + "\n"},
		{name: "in again", args: []string{"import-state", dir}, env: foldertest.Embedded(fresh),
			out: "imported and compared " + moved + "; 18 were there already, 0 were replaced\n"},
		{name: "no folder", args: []string{"import-state"}, code: 2,
			err: "tidemark: give one folder, not 0\nsee `tidemark import-state --help`\n"},
		{name: "no export", args: []string{"import-state", old}, env: foldertest.Embedded(t.TempDir()), code: 1,
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
	perform(t, script{args: []string{"import-state", dir}, env: foldertest.Embedded(t.TempDir()), code: 1,
		err: "tidemark: import: tables/IngestItems.jsonl:2: the row does not match its digest\n"})
}

func TestMoveStateOfARunningApp(t *testing.T) {
	data := foldertest.With(t, folder.Embedded)
	release, err := folder.Hold(data, folder.AppLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, command := range []string{"export", "import-state"} {
		perform(t, script{args: []string{command, filepath.Join(data, "state")}, env: foldertest.Embedded(data), code: 1,
			err: "tidemark: the data folder " + data +
				" is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder\n"})
	}
}
