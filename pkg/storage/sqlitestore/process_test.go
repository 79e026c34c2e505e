package sqlitestore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	incrementers = 4
	increments   = 50
)

// increment compares and swaps until it succeeds.
func increment(ctx context.Context, table storage.Table) error {
	for {
		e, err := table.Get(ctx, storage.Key{Partition: "p", Row: "n"})
		if err != nil {
			return err
		}
		e.Props["N"] = e.Props["N"].(int64) + 1
		if _, err = table.Transact(ctx, storage.Op{Kind: storage.Replace, Entity: e}); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
}

func incrementAll(ctx context.Context, table storage.Table) error {
	errs := make(chan error, incrementers)
	for range incrementers {
		go func() {
			var err error
			for i := 0; i < increments && err == nil; i++ {
				err = increment(ctx, table)
			}
			errs <- err
		}()
	}
	for range incrementers {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func incrementOften(dir string) {
	s, err := Open(dir, Options{})
	must(err)
	defer s.Close()
	must(incrementAll(context.Background(), s.Table("rows")))
	fmt.Println("done")
}

// TestProcessesIncrement makes two processes and this one change one row. No change may be lost, and contention must
// not cause an error.
func TestProcessesIncrement(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	table := create(t, s).Table
	if _, err := table.Transact(t.Context(), insert("n", storage.Properties{"N": int64(0)})); err != nil {
		t.Fatal(err)
	}
	a, b := start(t, "increment", dir), start(t, "increment", dir)
	if err := incrementAll(t.Context(), table); err != nil {
		t.Error(err)
	}
	for _, p := range []process{a, b} {
		for p.lines.Scan() {
		}
		if err := p.Wait(); err != nil {
			t.Errorf("child: %v", err)
		}
	}
	e, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: "n"})
	if want := int64(3 * incrementers * increments); err != nil || e.Props["N"] != want {
		t.Errorf("have %v (%v), want %d", e.Props, err, want)
	}
}

// echo answers messages of one queue in another queue, and writes a blob for each.
func echo(dir string) {
	s, err := Open(dir, Options{})
	must(err)
	ctx := context.Background()
	for {
		got, err := s.Queue("jobs").Receive(ctx, 32, time.Minute)
		must(err)
		for _, m := range got {
			b, err := s.Container("blobs").Get(ctx, string(m.Body))
			must(err)
			_, err = s.Container("answers").Put(ctx, string(m.Body), b)
			must(err)
			must(s.Queue("answers").Send(ctx, m.Body, 0))
			must(s.Queue("jobs").Delete(ctx, m))
		}
	}
}

// TestProcessesSeeEachOther exchanges messages with another process. The process sees what was written before the
// message, and this process sees its answer.
func TestProcessesSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	m := create(t, s)
	answers, ctx := s.Queue("answers"), t.Context()
	for _, err := range []error{answers.Create(ctx), s.Container("answers").Create(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	start(t, "echo", dir)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			name := fmt.Sprint(i)
			if _, err := m.Container.Put(ctx, name, storage.Blob{Body: []byte(name)}); err != nil {
				t.Error(err)
			}
			if err := m.Queue.Send(ctx, []byte(name), 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	eventually(t, "forty answers", func() bool {
		got, err := answers.Receive(ctx, 32, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got {
			seen[string(a.Body)] = true
			if b, err := s.Container("answers").Get(ctx, string(a.Body)); err != nil || string(b.Body) != string(a.Body) {
				t.Errorf("answer %s: have %q (%v)", a.Body, b.Body, err)
			}
		}
		return len(seen) == 40
	})
}

func openOnce(dir string) {
	s, err := Open(dir, Options{})
	must(err)
	must(s.Table("rows").Create(context.Background()))
	must(s.Close())
}

// TestProcessesCreate makes several processes create one store at once.
func TestProcessesCreate(t *testing.T) {
	dir := t.TempDir()
	var all []process
	for range 6 {
		all = append(all, start(t, "open", dir))
	}
	for _, p := range all {
		for p.lines.Scan() {
		}
		if err := p.Wait(); err != nil {
			t.Errorf("child: %v", err)
		}
	}
	check(t, open(t, dir))
}
