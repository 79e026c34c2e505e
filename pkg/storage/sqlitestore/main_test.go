package sqlitestore

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// children are the roles of this test executable when it is started as another process.
var children = map[string]func(dir string){
	"acknowledge": acknowledge,
	"increment":   incrementOften,
	"echo":        echo,
	"open":        openOnce,
	"hammer":      hammer,
}

const childEnv = "SQLITESTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childEnv)]; child != nil {
		child(os.Args[1])
		return
	}
	os.Exit(m.Run())
}

// process is a child process with the lines that it prints.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func start(t testing.TB, child, dir string) process {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), childEnv+"="+child)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return process{cmd, bufio.NewScanner(out)}
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// made holds one table, queue and container, all created.
type made struct {
	storage.Table
	storage.Queue
	storage.Container
}

func create(t testing.TB, s storage.Store) made {
	t.Helper()
	m := made{s.Table("rows"), s.Queue("jobs"), s.Container("blobs")}
	for _, create := range []func() error{
		func() error { return m.Table.Create(t.Context()) },
		func() error { return m.Queue.Create(t.Context()) },
		func() error { return m.Container.Create(t.Context()) },
	} {
		if err := create(); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func insert(row string, p storage.Properties) storage.Op {
	return storage.Op{Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: row}, Props: p}}
}

// eventually waits for an effect of another goroutine.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for range 12_000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within two minutes", what)
}

// check makes SQLite check the file for damage.
func check(t testing.TB, s *Store) {
	t.Helper()
	var answer string
	if err := s.readers.QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
		t.Errorf("integrity: %s (%v)", answer, err)
	}
}
