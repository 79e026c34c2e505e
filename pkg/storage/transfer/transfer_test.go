package transfer_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// TestThereAndBack moves a state through every adapter and checks that the result equals the original.
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

// TestWorkComesBack checks the state after an import: no item is claimed or locked, every item can be found, and one
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
	for range 10 { // a sweep claims no more for a host than fits into its queue
		r, err := reg.Jobs.Sweep(t.Context())
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

// TestInterruptedImport stops an import at each call in turn, before or after the call takes effect. The next import
// must finish the work.
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

// TestCheckpoint checks that an import resumes at its checkpoint. A checkpoint of an import into another store must
// cost nothing but time.
func TestCheckpoint(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, target := export(t, filled(t)), mem.New(atNoon)
	puts := 0
	stop := storagetest.Hooked(target, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			return errPulled // all blobs are in the store, and no row
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
		dir := storagetest.TempDir(t)
		store, dead := failing(from, n, true)
		_, err := transfer.Export(t.Context(), store, dir, plan(), transfer.Options{})
		if hit = dead(); hit != errors.Is(err, errPulled) {
			t.Fatalf("call %d: %v", n, err)
		}
		if !hit {
			break
		}
		_, err = transfer.Import(t.Context(), dir, mem.New(atNoon), plan(), transfer.Options{})
		if !fault.Is(err, fault.NotFound) {
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

// TestExportKeepsItsBlobs checks that a resumed export reads no blob twice.
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

// TestFolderIsNotAdmitted checks that the plan gets the rows of the first table before anything is written, and that
// nothing is written if it does not admit them.
func TestFolderIsNotAdmitted(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	refusing, store, seen := plan(), mem.New(atNoon), 0
	from, one := filled(t), storage.Entity{Key: storage.Key{Partition: "a", Row: "b"}}
	if _, err := from.Table(refusing.Tables[0]).Transact(t.Context(), storage.Op{Entity: one}); err != nil {
		t.Fatal(err)
	}
	folder := export(t, from)
	refusing.Admit = func(rows iter.Seq2[storage.Entity, error]) error {
		for _, err := range rows {
			if err != nil {
				return err
			}
			seen++
		}
		return fault.New(fault.Invalid, "these are not for this app")
	}
	if _, err := transfer.Import(t.Context(), folder, store, refusing, transfer.Options{}); !fault.Is(err,
		fault.Invalid) || seen == 0 {
		t.Errorf("%v after %d rows", err, seen)
	}
	for _, table := range refusing.Tables {
		if _, err := store.Table(table).Get(t.Context(), storage.Key{Partition: "a", Row: "b"}); !fault.Is(err,
			fault.Unavailable) {
			t.Errorf("the table %s was made: %v", table, err)
		}
	}
}
