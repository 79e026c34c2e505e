package sqlitestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// acknowledge writes until it is killed, and prints the names whose writes were acknowledged. Its names continue
// those of the process before.
func acknowledge(dir string) {
	s, err := Open(dir, Options{})
	must(err)
	ctx := context.Background()
	table, queue, blobs := s.Table("rows"), s.Queue("jobs"), s.Container("blobs")
	must(table.Create(ctx))
	must(queue.Create(ctx))
	must(blobs.Create(ctx))
	run := fmt.Sprint(os.Getpid())
	var all sync.WaitGroup
	all.Go(func() { acknowledgeLater(ctx, table, blobs, run) })
	for who, write := range map[string]func(name string) error{
		"row": func(name string) error {
			_, err := table.Transact(ctx, insert("a"+name, storage.Properties{"N": name}),
				insert("b"+name, storage.Properties{"N": name}))
			return err
		},
		"job": func(name string) error { return queue.Send(ctx, []byte(name), 0) },
		"blob": func(name string) error {
			_, err := blobs.Put(ctx, name, storage.Blob{Body: bodyOf(name)})
			return err
		},
		"gone": func(name string) error {
			if _, err := blobs.Put(ctx, "gone"+name, storage.Blob{Body: bodyOf(name)}); err != nil {
				return err
			}
			return blobs.Delete(ctx, "gone"+name)
		},
	} {
		all.Go(func() {
			for i := 0; ; i++ {
				name := run + "-" + strconv.Itoa(i)
				must(write(name))
				fmt.Println(who, name) // unbuffered: one write
			}
		})
	}
	all.Wait()
}

// acknowledgeLater writes rows and large blobs that are deferred, and after each third a row that is not.
func acknowledgeLater(ctx context.Context, table storage.Table, blobs storage.Container, run string) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%06d", run, i)
		_, err := blobs.Put(storage.Deferred(ctx), "later"+name, storage.Blob{Body: large})
		must(err)
		row := storage.Op{Entity: storage.Entity{Key: storage.Key{Partition: "later" + run, Row: name}}}
		if i%3 < 2 {
			_, err = table.Transact(storage.Deferred(ctx), row)
			must(err)
			continue
		}
		_, err = table.Transact(ctx, row)
		must(err)
		fmt.Println("later", name)
	}
}

// checkLater checks that all rows and blobs up to the last acknowledged one are there, and no later one without those
// before it.
func checkLater(t *testing.T, s *Store, told []string) {
	t.Helper()
	ctx, last, next := t.Context(), map[string]string{}, map[string]int{}
	for e, err := range s.Table("rows").Query(ctx, storage.Query{PartitionFrom: "later", PartitionTo: "latest"}) {
		run := strings.TrimPrefix(e.Partition, "later")
		if want := fmt.Sprintf("%s-%06d", run, next[run]); err != nil || e.Row != want {
			t.Fatalf("have row %s (%v), want %s", e.Row, err, want)
		}
		if there, err := s.Container("blobs").Exists(ctx, "later"+e.Row); err != nil || !there {
			t.Errorf("row %s is there, and its blob, which was written before, is not (%v)", e.Row, err)
		}
		last[run] = e.Row
		next[run]++
	}
	for _, name := range told {
		if run, _, _ := strings.Cut(name, "-"); last[run] < name {
			t.Errorf("row %s is lost, the last is %q", name, last[run])
		}
	}
}

// bodyOf returns a body for a name. Every second body is too large for a row.
func bodyOf(name string) []byte {
	if last := name[len(name)-1]; last%2 == 0 {
		return []byte(strings.Repeat(name, 500))
	}
	return []byte(strings.Repeat(name, maxSmall/len(name)+1))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestKilled kills a writing process at random moments, again and again. Everything acknowledged must be present, and
// no write may be incomplete.
func TestKilled(t *testing.T) {
	dir, told := t.TempDir(), map[string][]string{}
	for range 10 {
		p := start(t, "acknowledge", dir)
		if !p.lines.Scan() {
			t.Fatal("the child wrote nothing")
		}
		go func() {
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			p.Process.Kill()
		}()
		for more := true; more; more = p.lines.Scan() {
			if who, name, ok := strings.Cut(p.lines.Text(), " "); ok {
				told[who] = append(told[who], name)
			}
		}
		p.Wait()
		s := open(t, dir)
		checkTold(t, s, told)
		check(t, s)
		s.Close()
	}
	t.Logf("told of %d rows, %d jobs, %d blobs, %d blobs gone", len(told["row"]), len(told["job"]), len(told["blob"]),
		len(told["gone"]))
	s := open(t, dir)
	s.removeLeftovers(t.Context(), 0)
	checkTold(t, s, told)
	checkFiles(t, s)
}

func checkTold(t *testing.T, s *Store, told map[string][]string) {
	t.Helper()
	ctx := t.Context()
	rows := map[string]int{}
	for e, err := range s.Table("rows").Query(ctx, storage.Query{Partition: "p"}) {
		if err != nil {
			t.Fatal(err)
		}
		rows[e.Row[1:]]++
	}
	for name, n := range rows {
		if n != 2 {
			t.Errorf("transaction %s: %d of two rows are there", name, n)
		}
	}
	for _, name := range told["row"] {
		if rows[name] == 0 {
			t.Errorf("row %s is lost", name)
		}
	}
	if n, err := s.Queue("jobs").Length(ctx); err != nil || n < len(told["job"]) {
		t.Errorf("have %d jobs (%v), want %d or more", n, err, len(told["job"]))
	}
	for _, name := range told["blob"] {
		if b, err := s.Container("blobs").Get(ctx, name); err != nil || !bytes.Equal(b.Body, bodyOf(name)) {
			t.Errorf("blob %s: have %d bytes (%v)", name, len(b.Body), err)
		}
	}
	checkLater(t, s, told["later"])
	for _, name := range told["gone"] {
		if there, err := s.Container("blobs").Exists(ctx, "gone"+name); err != nil || there {
			t.Errorf("blob gone%s has come back (%v)", name, err)
		}
	}
}

// checkFiles requires exactly one file for each blob whose body is not in its row, and no marker. For a moment after
// a store is opened, it has a file for reading the clock of the file system.
func checkFiles(t *testing.T, s *Store) {
	t.Helper()
	var rows int
	if err := s.readers.QueryRow("SELECT count(*) FROM blobs WHERE body IS NULL").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	eventually(t, fmt.Sprintf("as many files as blobs, which are %d", rows),
		func() bool { return len(filesBelow(t, s)) == rows })
}

func filesBelow(t *testing.T, s *Store) (files []string) {
	t.Helper()
	err := filepath.WalkDir(s.bodies.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since the folder was listed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// large is a body that is stored in a file.
var large = bytes.Repeat([]byte("x"), maxSmall+1)

// TestLeftovers creates the files that a crash may leave at each step of a put and a delete.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	blobs := create(t, s).Container
	if _, err := blobs.Put(t.Context(), "kept", storage.Blob{Body: large}); err != nil {
		t.Fatal(err)
	}
	var kept string
	if err := s.readers.QueryRow("SELECT file FROM blobs").Scan(&kept); err != nil {
		t.Fatal(err)
	}
	marked, partial, whole := s.bodies.body("blobs", fileName("a")), s.bodies.body("blobs",
		fileName("b")), s.bodies.body("blobs", fileName("c"))
	old, young := s.bodies.body("blobs", kept), s.bodies.body("blobs", fileName("d"))
	other := open(t, dir) // young may be on its way in another process
	// The files come before their markers, because the other process looks for leftovers, too.
	for _, path := range []string{partial.path + partialName, whole.path, young.path} {
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []body{marked, partial, whole, old, young} {
		os.MkdirAll(filepath.Dir(f.path), 0o700)
		if err := f.setPending(); err != nil {
			t.Fatal(err)
		}
		if f != young {
			os.Chtimes(f.pending, time.Time{}, time.Now().Add(-2*pendingGrace))
		}
	}
	s.Close()

	s = open(t, dir)
	eventually(t, "two files, one of them marked", func() bool { return len(filesBelow(t, s)) == 3 })
	if b, err := s.Container("blobs").Get(t.Context(), "kept"); err != nil || !bytes.Equal(b.Body, large) {
		t.Errorf("have %d bytes (%v)", len(b.Body), err)
	}
	if _, err := os.Stat(young.path); err != nil {
		t.Errorf("a body that may be on its way was removed: %v", err)
	}
	other.Close()
	s.Close()
	s = open(t, dir) // nobody else uses the folder, so nothing is on its way
	eventually(t, "the blob's file alone", func() bool { return len(filesBelow(t, s)) == 1 })
}

// TestPutTakenForLeftover is a put that lasts longer than the grace period.
func TestPutTakenForLeftover(t *testing.T) {
	s := open(t, t.TempDir())
	blobs := create(t, s).Container.(*container)
	id, err := blobs.ready(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := storage.Blob{Body: large}
	f, err := s.bodies.write("blobs", "a", b.Body)
	if err != nil {
		t.Fatal(err)
	}
	s.removeLeftovers(t.Context(), 0)
	if created, err := blobs.publish(t.Context(), id, "a", f, b); err == nil || created {
		t.Fatalf("have %v (%v), want a refusal", created, err)
	}
	if created, err := blobs.Put(t.Context(), "a", b); err != nil || !created {
		t.Fatalf("again: have %v (%v)", created, err)
	}
	checkFiles(t, s)
}
