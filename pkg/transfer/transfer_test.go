package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/transfer"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

// plan is that of an app, whose state the tests move.
func plan() transfer.Plan {
	items, index, hints := registry.Tables("")
	return transfer.Plan{
		Tables:     []string{snapshot.RunsTable, snapshot.RefsTable, snapshot.CapturesTable, index, items},
		Containers: []string{snapshot.Container},
		Hints:      hints,
		Thaw: func(table string, e storage.Entity) (storage.Entity, storage.Entity, bool) {
			if table != items {
				return e, storage.Entity{}, false
			}
			return registry.Thaw(e)
		},
	}
}

func register(t testing.TB, store storage.Store, now func() time.Time) *registry.Registry {
	t.Helper()
	return registry.New(store, registry.Options{
		Clock:      now,
		Politeness: func(string) registry.Politeness { return registry.Politeness{MaxConcurrent: 100} },
	})
}

const (
	hosts    = 3
	perHost  = 70 // more than one transaction takes, and more than a host has room for
	captures = 70 // more than one batch of blobs
)

// filled is a store with hosts, items of which some are claimed and some locked, and captures.
func filled(t testing.TB) storage.Store {
	t.Helper()
	store := mem.New(atNoon)
	reg, snaps := register(t, store, atNoon), snapshot.New(store)
	if err := errors.Join(reg.Create(t.Context()), snaps.Create(t.Context())); err != nil {
		t.Fatal(err)
	}
	var all []source.Source
	for h := range hosts {
		for n := range perHost {
			s, err := source.DefaultRules().ParseURL(fmt.Sprintf("https://h%d.example/page/%d?q=<ü>", h, n))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
	}
	for _, r := range reg.Register(t.Context(), all, registry.RegisterOptions{}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	lockSome(t, store, reg)
	for n, s := range all[:captures] {
		body := fmt.Appendf(nil, "page %d", n)
		if n%2 == 0 { // some are stored compressed
			body = fmt.Appendf(nil, "page %d%s", n, strings.Repeat(" of the tide", 100))
		}
		c := snapshot.Capture{ItemID: s.ID(), RawHash: snapshot.Hash(body), CapturedAt: noon, Header: map[string][]string{"A": {"<b>"}}}
		if _, err := snaps.Save(t.Context(), c, body, ""); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// lockSome has a worker that dies begin the first jobs.
func lockSome(t testing.TB, store storage.Store, reg *registry.Registry) {
	t.Helper()
	messages, err := store.Queue(registry.JobQueue).Receive(t.Context(), 2, time.Minute)
	if err != nil || len(messages) != 2 {
		t.Fatal(len(messages), err)
	}
	for _, m := range messages {
		job, err := registry.ParseJob(m.Body)
		if err == nil {
			_, err = reg.Begin(t.Context(), job)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func export(t testing.TB, store storage.Store) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	r, err := transfer.Export(t.Context(), store, dir, plan(), transfer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Blobs != captures || r.Rows < hosts*perHost*2 {
		t.Errorf("exported %+v", r)
	}
	return dir
}

// dump is every row of a state, hints included.
func dump(t testing.TB, s storage.Store) map[string]storage.Properties {
	t.Helper()
	rows, err := storagetest.Dump(t.Context(), s, append(plan().Tables, plan().Hints)...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func manifest(t testing.TB, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func embedded(t testing.TB) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.TempDir(), sqlitestore.Options{Now: atNoon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func inAzurite(t testing.TB) storage.Store {
	t.Helper()
	conn := azuritetest.Start(t).ConnectionString()
	s, err := azure.Open(func(name string) string {
		return map[string]string{"AzureWebJobsStorage": conn}[name]
	}, azure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestThereAndBack moves a state through every adapter, and has it come out as it went in.
func TestThereAndBack(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir := export(t, filled(t))
	want := manifest(t, dir)
	for _, to := range []struct {
		name  string
		store storage.Store
	}{{"embedded", embedded(t)}, {"azurite", inAzurite(t)}, {"memory", mem.New(atNoon)}} {
		r, err := transfer.Import(t.Context(), dir, to.store, plan(), transfer.Options{})
		if err != nil {
			t.Fatalf("%s: %v", to.name, err)
		}
		if r.Found != 0 || r.Replaced != 0 || r.Blobs != captures {
			t.Errorf("%s: imported %+v", to.name, r)
		}
		dir = export(t, to.store)
		if diff := cmp.Diff(want, manifest(t, dir)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", to.name, diff)
		}
		again, err := transfer.Import(t.Context(), dir, to.store, plan(), transfer.Options{})
		if err != nil || again.Found != again.Rows+again.Blobs {
			t.Errorf("%s: imported once more: %+v, %v", to.name, again, err)
		}
	}
}

// TestWorkComesBack holds that after an import nothing is held, everything can be found, and one
// sweep claims all that was due.
func TestWorkComesBack(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, store := export(t, filled(t)), embedded(t)
	if _, err := transfer.Import(t.Context(), dir, store, plan(), transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	reg := register(t, store, atNoon)
	if err := reg.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	checked(t, reg)
	claimed := 0
	for range 10 { // a sweep claims no more for a host than its queue takes
		r, err := reg.Sweep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if claimed == 0 && r.Partitions != hosts {
			t.Errorf("the first sweep saw %d partitions, want %d", r.Partitions, hosts)
		}
		claimed += r.Claimed
	}
	if want := hosts * 64; claimed != want {
		t.Errorf("claimed %d, want %d: as many as the hosts have room for", claimed, want)
	}
	checked(t, reg)
}

func checked(t *testing.T, reg *registry.Registry) {
	t.Helper()
	found, err := reg.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

var errPulled = errors.New("the plug was pulled")

// failing is a store whose nth call fails, before or after it took effect, and all that follow.
func failing(s storage.Store, n int, after bool) (storage.Store, func() bool) {
	calls := make(chan int, 1)
	calls <- 0
	dead := func(count int) bool {
		c := <-calls + count
		calls <- c
		return c >= n
	}
	return storagetest.Hooked(s, storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			c := <-calls + 1
			calls <- c
			if c > n || c == n && !after {
				return errPulled
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if dead(0) {
				return errPulled
			}
			return err
		},
	}), func() bool { return dead(0) }
}

// TestInterruptedImport pulls the plug at ever later calls, before or after they took effect:
// the next import finishes the work.
func TestInterruptedImport(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir := export(t, filled(t))
	whole := mem.New(atNoon)
	if _, err := transfer.Import(t.Context(), dir, whole, plan(), transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	want := dump(t, whole)
	for n, after, hit := 1, false, true; hit; n, after = 2*n+1, !after {
		target := mem.New(atNoon)
		store, dead := failing(target, n, after)
		_, err := transfer.Import(t.Context(), dir, store, plan(), transfer.Options{})
		if hit = dead(); hit != errors.Is(err, errPulled) {
			t.Fatalf("call %d: %v", n, err)
		}
		if _, err := transfer.Import(t.Context(), dir, target, plan(), transfer.Options{}); err != nil {
			t.Fatalf("after a failure at call %d: %v", n, err)
		}
		if diff := cmp.Diff(want, dump(t, target)); diff != "" {
			t.Fatalf("after a failure at call %d (-want +have):\n%s", n, diff)
		}
		checked(t, register(t, target, atNoon))
	}
}

// TestCheckpoint holds that an import goes on at its checkpoint, and that one of an import into
// another store costs nothing but time.
func TestCheckpoint(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, target := export(t, filled(t)), mem.New(atNoon)
	puts := 0
	stop := storagetest.Hooked(target, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			return errPulled // all blobs are there, and no row
		}
		return nil
	}})
	if _, err := transfer.Import(t.Context(), dir, stop, plan(), transfer.Options{}); !errors.Is(err, errPulled) {
		t.Fatal(err)
	}
	point, err := os.ReadFile(filepath.Join(dir, "import.checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	count := storagetest.Hooked(target, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "blob.Put" {
			puts++
		}
		return nil
	}})
	if _, err := transfer.Import(t.Context(), dir, count, plan(), transfer.Options{}); err != nil || puts != 0 {
		t.Errorf("%d blobs put again, %v", puts, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "import.checkpoint")); !os.IsNotExist(err) {
		t.Errorf("the checkpoint of a finished import: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "import.checkpoint"), point, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Import(t.Context(), dir, mem.New(atNoon), plan(), transfer.Options{}); err != nil {
		t.Errorf("with the checkpoint of another store: %v", err)
	}
}

func TestInterruptedExport(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	from := filled(t)
	want := manifest(t, export(t, from))
	for n, hit := 1, true; hit; n += 1 + n/2 {
		dir := t.TempDir()
		store, dead := failing(from, n, true)
		_, err := transfer.Export(t.Context(), store, dir, plan(), transfer.Options{})
		if hit = dead(); hit != errors.Is(err, errPulled) {
			t.Fatalf("call %d: %v", n, err)
		}
		if !hit {
			break
		}
		if _, err := transfer.Import(t.Context(), dir, mem.New(atNoon), plan(), transfer.Options{}); !fault.Is(err, fault.NotFound) {
			t.Fatalf("import of half an export: %v", err)
		}
		if _, err := transfer.Export(t.Context(), from, dir, plan(), transfer.Options{}); err != nil {
			t.Fatalf("after a failure at call %d: %v", n, err)
		}
		if diff := cmp.Diff(want, manifest(t, dir)); diff != "" {
			t.Fatalf("after a failure at call %d (-want +have):\n%s", n, diff)
		}
	}
}

// TestExportKeepsItsBlobs holds that an export that is taken up again reads no blob twice.
func TestExportKeepsItsBlobs(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	from, dir := filled(t), export(t, filled(t))
	if err := os.Remove(filepath.Join(dir, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	store := storagetest.Hooked(from, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "blob.Get" {
			return errPulled
		}
		return nil
	}})
	if _, err := transfer.Export(t.Context(), store, dir, plan(), transfer.Options{}); err != nil {
		t.Error(err)
	}
}

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

// secondLine is that of a file, with its end.
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
		{"a line of other text", func(t *testing.T, dir string) { edit(t, dir, items, secondLine(t, dir, items), "hello\n") }, fault.Invalid, items + ":2: "},
		{"a line that is gone", func(t *testing.T, dir string) { edit(t, dir, items, secondLine(t, dir, items), "") }, fault.Invalid, "lines, the manifest says"},
		{"a line in place of another", func(t *testing.T, dir string) {
			one := strings.Split(secondLine(t, dir, "tables/IngestIndex.jsonl"), "\n")[0]
			edit(t, dir, items, secondLine(t, dir, items), one+"\n")
		}, fault.Invalid, items + ": does not match its digest in the manifest"},
		{"a file that was cut off", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, items), 1000); err != nil {
				t.Fatal(err)
			}
		}, fault.Invalid, "the file ends within a line"},
		{"a missing table", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, items)) }, fault.Invalid, items + " is missing"},
		{"a blob that is longer than it was", func(t *testing.T, dir string) {
			edit(t, dir, blobs, `"bytes":6`, `"bytes":7`)
		}, fault.Invalid, " of blob"},
		{"missing bytes", func(t *testing.T, dir string) {
			os.RemoveAll(filepath.Join(dir, "blobs/snapshots"))
		}, fault.Invalid, blobs + ":1: blobs/snapshots/"},
		{"a later version", func(t *testing.T, dir string) { edit(t, dir, "manifest.json", `"version": 1`, `"version": 2`) }, fault.Invalid, "version 2"},
		{"another app's tables", func(t *testing.T, dir string) { edit(t, dir, "manifest.json", "IngestItems", "MyItems") }, fault.Invalid, "MyItems"},
		{"a name that leads out of the folder", func(t *testing.T, dir string) { edit(t, dir, "manifest.json", "IngestItems", "../../x") }, fault.Invalid, "../../x"},
		{"no export", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, fault.NotFound, "holds no finished export"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, target := t.TempDir(), mem.New(atNoon)
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

// TestDamagedBytes holds that a blob's bytes are compared before they are written.
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
	_, err := table.Transact(t.Context(), storage.Op{Kind: kind, Entity: storage.Entity{Key: key, ETag: storage.AnyETag, Props: props}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsThere holds that an import changes nothing that it was not told to.
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
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "row h1.example/host|h1.example is in the store with other content") {
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
	if _, err = transfer.Import(t.Context(), dir, target, plan(), transfer.Options{}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), blob) {
		t.Errorf("a blob that differs: %v", err)
	}
	if r, err = transfer.Import(t.Context(), dir, target, plan(), transfer.Options{Overwrite: true}); err != nil || r.Replaced != 1 {
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
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Export(t.Context(), from, other, plan(), transfer.Options{}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "letter.txt") {
		t.Errorf("into somebody's folder: %v", err)
	}
	if _, err := transfer.Export(t.Context(), mem.New(atNoon), t.TempDir(), plan(), transfer.Options{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("of a store without state: %v", err)
	}
}
