package sqlitesearch

import (
	"bufio"
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// filled returns the path of a closed index of some size.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "search.db")
	ix := created(t, path)
	for i := range 50 {
		put(t, ix, somePage(fmt.Sprintf("p%d", i), manyWords(200), manyWords(100)))
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDamage checks that an unusable file is set aside, and that work continues with an empty one.
func TestDamage(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(data []byte) []byte
	}{
		{"not a database", func([]byte) []byte { return []byte(strings.Repeat("no database ", 100)) }},
		{"a few bytes", func([]byte) []byte { return []byte("x") }},
		{"zeros", func(data []byte) []byte { return make([]byte, len(data)) }},
		{"header overwritten", func(data []byte) []byte { copy(data, "garbage garbage garbage garbage"); return data }},
		{"first page overwritten",
			func(data []byte) []byte { copy(data[100:], bytes.Repeat([]byte{0xa5}, 3996)); return data }},
		{"cut off", func(data []byte) []byte { return data[:len(data)/2] }},
		{"all but the first page overwritten", func(data []byte) []byte {
			copy(data[4096:], bytes.Repeat([]byte{0x5a}, len(data)-4096))
			return data
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filled(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tc.damage(data), 0o666); err != nil {
				t.Fatal(err)
			}
			expectSetAside(t, path, path+".corrupt-1")
		})
	}
}

// expectSetAside opens a file that cannot be used and checks that it is kept under another name, reported, and replaced
// by an index that works.
func expectSetAside(t *testing.T, path, aside string) {
	t.Helper()
	var log bytes.Buffer
	ix, err := Open(path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if !slices.Contains(SetAside(path), aside) {
		t.Errorf("%s is not among %v", aside, SetAside(path))
	}
	if _, err := os.Stat(aside); err != nil || !strings.Contains(log.String(), filepath.Base(aside)) {
		t.Errorf("stat: %v, log: %s", err, log.String())
	}
	if err := ix.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	if begun(t, ix) == "" {
		t.Error("the new index does not say that it has to be filled")
	}
	if n := count(t, ix); n != 0 {
		t.Errorf("%d pages in the new index", n)
	}
	put(t, ix, somePage("a", "one"))
	checkIntegrity(t, ix)
}

// TestDamageMetLater checks that damage that Open does not find is remembered, and the file set aside at the next
// Open; the number after .corrupt- increases.
func TestDamageMetLater(t *testing.T) {
	path := filled(t)
	if err := os.WriteFile(path+".corrupt-1", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	ix := open(t, path)
	if _, err := os.Stat(path + ".corrupt-2"); err == nil {
		t.Fatal("set aside an index that is whole")
	}
	if _, err := ix.write.Exec("UPDATE leaves SET data = x'ff'"); err != nil {
		t.Fatal(err)
	}
	_, err := ix.Search(t.Context(), search.Query{Text: "w7", Top: 10})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "damaged") {
		t.Fatalf("have %v", err)
	}
	ix.Close()
	expectSetAside(t, path, path+".corrupt-2")
	if again := open(t, path); count(t, again) != 1 {
		t.Error("set aside twice")
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	for _, tc := range []struct{ name, statement, message string }{
		{"newer version", "PRAGMA user_version(1000)", "newer program"},
		{"another program's", "PRAGMA application_id(7)", "another program"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filled(t)
			ix := open(t, path)
			if _, err := ix.write.Exec(tc.statement); err != nil {
				t.Fatal(err)
			}
			ix.Close()
			if _, err := Open(path, Options{}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("have %v", err)
			}
			if _, err := os.Stat(path + ".corrupt-1"); err == nil {
				t.Error("it was set aside")
			}
		})
	}
}

func begun(t *testing.T, ix *Index) string {
	t.Helper()
	name, err := ix.Begun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBegun checks that a new index has the same name for all processes until it is filled, and that the next index
// has another name.
func TestBegun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	first := created(t, path)
	name := begun(t, first)
	if second := created(t, path); name == "" || begun(t, second) != name {
		t.Errorf("%q here, %q there", name, begun(t, second))
	}
	for range 2 {
		if err := first.Filled(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if again := created(t, path); begun(t, again) != "" {
		t.Error("the index forgot that it is filled")
	}
	if other := created(t, path+"2"); begun(t, other) == "" || begun(t, other) == name {
		t.Error("two indexes have one name")
	}
}

// TestOlderVersionIsBuiltAnew checks that an index of an earlier version is set aside, whatever its tables, and that
// the new one has to be filled.
func TestOlderVersionIsBuiltAnew(t *testing.T) {
	for version := range format.Version {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "search.db")
			ix := created(t, path)
			put(t, ix, somePage("a", "harbour"))
			if err := ix.Filled(t.Context(), begun(t, ix)); err != nil {
				t.Fatal(err)
			}
			const older = "DROP TABLE leaves; DROP TABLE bits; ALTER TABLE chunks DROP COLUMN anchor; PRAGMA user_version(%d)"
			if _, err := ix.write.Exec(fmt.Sprintf(older, version)); err != nil {
				t.Fatal(err)
			}
			ix.Close()
			if _, err := Examine(t.Context(), path, true); !IsEarlier(err) ||
				!strings.Contains(err.Error(), fmt.Sprintf("has version %d", version)) {
				t.Errorf("examined: %v", err)
			}
			expectSetAside(t, path, path+".old-1")
		})
	}
}

// TestKilled kills a process that writes and checks that every page whose Put returned is there
// and that the index is whole.
func TestKilled(t *testing.T) {
	if path := os.Getenv("SQLITESEARCH_WRITE"); path != "" {
		writeForever(t, path)
	}
	path := filepath.Join(t.TempDir(), "search.db")
	written := 0
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "SQLITESEARCH_WRITE="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 20+7*round && lines.Scan(); n++ {
			written++
		}
		cmd.Process.Kill()
		for lines.Scan() { // what was printed before the kill was acknowledged too
			written++
		}
		cmd.Wait()
		ix := open(t, path)
		if n := count(t, ix); n < written || written == 0 {
			t.Fatalf("round %d: %d pages acknowledged, %d there", round, written, n)
		}
		written = count(t, ix) // one may have been committed and not printed
		checkIntegrity(t, ix)
		ix.Close()
	}
}

// writeForever runs in the process that is killed.
func writeForever(t *testing.T, path string) {
	ix := created(t, path)
	for n := count(t, ix); ; n++ {
		put(t, ix, somePage(fmt.Sprintf("p%d", n), manyWords(300), manyWords(50)))
		fmt.Println(n)
	}
}
