package transfer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// edit changes one file of a folder.
func edit(t *testing.T, dir, file, old, new string) {
	t.Helper()
	name := filepath.Join(dir, file)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(b), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// secondLine returns the second line of a file, with its end.
func secondLine(t *testing.T, dir, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(b), "\n")[1]
}

func TestFoldersThatAreRefused(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	from := filled(t)
	whole := export(t, from)
	const items, blobs = "tables/IngestItems.jsonl", "blobs/snapshots.jsonl"
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		kind   fault.Kind
		want   string
	}{
		{"a changed column", func(t *testing.T, dir string) {
			line := secondLine(t, dir, items)
			edit(t, dir, items, line, strings.Replace(line, "2026", "2027", 1))
		}, fault.Invalid, items + ":2: the row does not match its digest"},
		{"a line of other text", func(t *testing.T, dir string) { edit(t, dir, items, secondLine(t, dir, items), "hello\n") },
			fault.Invalid, items + ":2: "},
		{"a line that is gone", func(t *testing.T, dir string) { edit(t, dir, items, secondLine(t, dir, items), "") },
			fault.Invalid, "lines, the manifest says"},
		{"a line in place of another", func(t *testing.T, dir string) {
			one := strings.Split(secondLine(t, dir, "tables/IngestIndex.jsonl"), "\n")[0]
			edit(t, dir, items, secondLine(t, dir, items), one+"\n")
		}, fault.Invalid, items + ": does not match its digest in the manifest"},
		{"a file that was cut off", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, items), 1000); err != nil {
				t.Fatal(err)
			}
		}, fault.Invalid, "the file ends within a line"},
		{"a missing table", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, items)) }, fault.Invalid,
			items + " is missing"},
		{"a blob that is longer than it was", func(t *testing.T, dir string) {
			edit(t, dir, blobs, `"bytes":6`, `"bytes":7`)
		}, fault.Invalid, " of blob"},
		{"missing bytes", func(t *testing.T, dir string) {
			os.RemoveAll(filepath.Join(dir, "blobs/snapshots"))
		}, fault.Invalid, blobs + ":1: blobs/snapshots/"},
		{"a later version", func(t *testing.T, dir string) { edit(t, dir, "manifest.json", `"version": 1`, `"version": 2`) },
			fault.Invalid, "version 2"},
		{"another app's tables", func(t *testing.T, dir string) { edit(t, dir, "manifest.json", "IngestItems", "MyItems") },
			fault.Invalid, "MyItems"},
		{"a name that leads out of the folder",
			func(t *testing.T, dir string) { edit(t, dir, "manifest.json", "IngestItems", "../../x") }, fault.Invalid,
			"../../x"},
		{"no export", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, fault.NotFound,
			"holds no finished export"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, target := storagetest.TempDir(t), mem.New(atNoon)
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, dir)
			_, err := transfer.Import(t.Context(), dir, target, plan(), transfer.Options{})
			if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("have %v, want %s with %q", err, tt.kind, tt.want)
			}
			_, err = target.Container(snapshot.Container).Exists(t.Context(), "a")
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("something was made in the store: %v", err)
			}
		})
	}
}

// TestDamagedBytes checks that a blob's bytes are verified before they are written.
func TestDamagedBytes(t *testing.T) {
	dir := export(t, filled(t))
	bodies, _ := filepath.Glob(filepath.Join(dir, "blobs/snapshots/*/*"))
	name := strings.TrimSuffix(bodies[0], ".json")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Repeat("x", int(info.Size()))), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = transfer.Import(t.Context(), dir, mem.New(atNoon), plan(), transfer.Options{})
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "do not match their digest") {
		t.Error(err)
	}
}

func put(t *testing.T, table storage.Table, kind storage.OpKind, key storage.Key, props storage.Properties) {
	t.Helper()
	_, err := table.Transact(t.Context(), storage.Op{Kind: kind, Entity: storage.Entity{Key: key, ETag: storage.AnyETag,
		Props: props}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsThere checks that an import changes existing content only with Overwrite.
func TestWhatIsThere(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, target := export(t, filled(t)), mem.New(atNoon)
	if _, err := transfer.Import(t.Context(), dir, target, plan(), transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	items := target.Table(registry.DefaultTable)
	changed := storage.Key{Partition: "h1.example", Row: "host|h1.example"}
	put(t, items, storage.Merge, changed, storage.Properties{"checks": int64(7)})

	_, err := transfer.Import(t.Context(), dir, target, plan(), transfer.Options{})
	if !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "row h1.example/host|h1.example is in the store with other content") {
		t.Errorf("a row that differs: %v", err)
	}
	if e, err := items.Get(t.Context(), changed); err != nil || e.Props["checks"] != int64(7) {
		t.Errorf("it was changed: %v %v", e, err)
	}
	r, err := transfer.Import(t.Context(), dir, target, plan(), transfer.Options{Overwrite: true})
	if err != nil || r.Replaced != 1 {
		t.Errorf("overwriting: %+v, %v", r, err)
	}

	more := storage.Key{Partition: "h1.example", Row: "zzz"}
	put(t, items, storage.Insert, more, nil)
	_, err = transfer.Import(t.Context(), dir, target, plan(), transfer.Options{Overwrite: true})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "table IngestItems has") {
		t.Errorf("a row too many: %v", err)
	}
	put(t, items, storage.Delete, more, nil)

	blob := snapshotName(t, target)
	replace(t, target, blob, "another")
	if _, err = transfer.Import(t.Context(), dir, target, plan(), transfer.Options{}); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), blob) {
		t.Errorf("a blob that differs: %v", err)
	}
	if r, err = transfer.Import(t.Context(), dir, target, plan(), transfer.Options{Overwrite: true}); err != nil ||
		r.Replaced != 1 {
		t.Errorf("overwriting a blob: %+v, %v", r, err)
	}
}

func snapshotName(t *testing.T, s storage.Store) string {
	t.Helper()
	for name, err := range s.Container(snapshot.Container).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	t.Fatal("no blob")
	return ""
}

func replace(t *testing.T, s storage.Store, name, body string) {
	t.Helper()
	c := s.Container(snapshot.Container)
	if err := c.Delete(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Put(t.Context(), name, storage.Blob{Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
}

func TestExportRefuses(t *testing.T) {
	from := filled(t)
	dir := export(t, from)
	if _, err := transfer.Export(t.Context(), from, dir, plan(), transfer.Options{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("over an export: %v", err)
	}
	other := storagetest.TempDir(t)
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Export(t.Context(), from, other, plan(), transfer.Options{}); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "letter.txt") {
		t.Errorf("into somebody's folder: %v", err)
	}
	_, err := transfer.Export(t.Context(), mem.New(atNoon), storagetest.TempDir(t), plan(), transfer.Options{})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("of a store without state: %v", err)
	}
}
