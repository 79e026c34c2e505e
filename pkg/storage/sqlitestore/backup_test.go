package sqlitestore

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func backupOptions(t testing.TB) BackupOptions {
	return BackupOptions{MadeAt: time.Unix(1_790_000_000, 0), MadeBy: "test",
		Scratch: filepath.Join(t.TempDir(), "scratch.db")}
}

func backUp(t testing.TB, dir string) []byte {
	t.Helper()
	var to bytes.Buffer
	o := backupOptions(t)
	if _, err := Backup(t.Context(), dir, &to, o); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(o.Scratch + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return to.Bytes()
}

func restoreTo(t testing.TB, backup []byte) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	if _, err := Restore(t.Context(), bytes.NewReader(backup), dir, backupOptions(t)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestL5BackupOfARunningStore takes backups while a process writes and deletes without a pause, and restores each of
// them. What was acknowledged before the backup is present, transactions are complete, every blob has its body, and
// there are no other bodies. Between backups the process is killed and restarted.
func TestL5BackupOfARunningStore(t *testing.T) {
	dir := t.TempDir()
	told, names := map[string][]string{}, make(chan [2]string, 1<<16)
	for range soaktest.Count(2, 3) {
		p := start(t, "acknowledge", dir)
		if !p.lines.Scan() {
			t.Fatal("the child wrote nothing")
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			for more := true; more; more = p.lines.Scan() {
				if who, name, ok := strings.Cut(p.lines.Text(), " "); ok {
					names <- [2]string{who, name}
				}
			}
		}()
		for range soaktest.Count(2, 3) {
			for n := len(names); n > 0; n-- {
				line := <-names
				told[line[0]] = append(told[line[0]], line[1])
			}
			copied := open(t, restoreTo(t, backUp(t, dir)))
			checkTold(t, copied, told)
			check(t, copied)
			checkFiles(t, copied)
			copied.Close()
		}
		p.Process.Kill()
		<-done
		p.Wait()
	}
	t.Logf("told of %d rows, %d jobs, %d blobs, %d blobs gone", len(told["row"]), len(told["job"]), len(told["blob"]),
		len(told["gone"]))
	s := open(t, dir)
	s.removeLeftovers(t.Context(), 0)
	checkFiles(t, s)
}

// TestL5DeletedWhileBackedUp deletes a blob between the copy of its row and the copy of its body.
func TestL5DeletedWhileBackedUp(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	blobs := create(t, s).Container
	if _, err := blobs.Put(t.Context(), "gone", storage.Blob{Body: large}); err != nil {
		t.Fatal(err)
	}
	o, deleted := backupOptions(t), false
	o.Progress = func(doing string, _, _ int64) {
		if doing == "writing" && !deleted {
			deleted = true
			if err := blobs.Delete(t.Context(), "gone"); err != nil {
				t.Error(err)
			}
			s.removeLeftovers(t.Context(), -time.Hour)
			if _, err := Backup(t.Context(), dir, io.Discard, backupOptions(t)); !fault.Is(err, fault.Conflict) {
				t.Errorf("a second backup at once: %v", err)
			}
		}
	}
	var to bytes.Buffer
	if _, err := Backup(t.Context(), dir, &to, o); err != nil || !deleted {
		t.Fatal(err, deleted)
	}
	if there, err := blobs.Exists(t.Context(), "gone"); there || err != nil {
		t.Errorf("the blob is still there (%v)", err)
	}
	s.removeLeftovers(t.Context(), -time.Hour)
	checkFiles(t, s)
	b, err := open(t, restoreTo(t, to.Bytes())).Container("blobs").Get(t.Context(), "gone")
	if err != nil || !bytes.Equal(b.Body, large) {
		t.Errorf("restored: %d bytes (%v)", len(b.Body), err)
	}
}

// sampleStore returns a store with a row, a message, and blobs of both kinds.
func sampleStore(t testing.TB) (dir string, s *Store) {
	t.Helper()
	dir = t.TempDir()
	s = open(t, dir)
	m := create(t, s)
	_, err := m.Table.Transact(t.Context(), insert("a", storage.Properties{"N": "1"}))
	err = errors.Join(err, m.Queue.Send(t.Context(), []byte("job"), 0))
	for name, body := range map[string][]byte{"small": []byte("x"), "large": large, "larger": append(large, 'y')} {
		_, putErr := m.Container.Put(t.Context(), name, storage.Blob{Body: body, ContentType: "text/html"})
		err = errors.Join(err, putErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, s
}

// TestL5RestoredIsTheSame compares everything that the port returns, and checks that the restored store works.
func TestL5RestoredIsTheSame(t *testing.T) {
	dir, s := sampleStore(t)
	backup := backUp(t, dir)
	c, err := Restore(t.Context(), bytes.NewReader(backup), "", backupOptions(t))
	if err != nil || c.Rows != 1 || c.Messages != 1 || c.Blobs != 3 || c.MadeBy != "test" {
		t.Errorf("verified: %+v (%v)", c, err)
	}
	back := open(t, restoreTo(t, backup))
	have, err := storagetest.Dump(t.Context(), back, "rows")
	want, wantErr := storagetest.Dump(t.Context(), s, "rows")
	if diff := cmp.Diff(want, have); err != nil || wantErr != nil || diff != "" {
		t.Errorf("%v %v (-want +have):\n%s", err, wantErr, diff)
	}
	for _, name := range []string{"small", "large", "larger"} {
		have, err := back.Container("blobs").Get(t.Context(), name)
		want, wantErr := s.Container("blobs").Get(t.Context(), name)
		if err != nil || wantErr != nil || !bytes.Equal(have.Body, want.Body) || have.ContentType != want.ContentType {
			t.Errorf("%s: %v %v", name, err, wantErr)
		}
	}
	var mode string
	if err := back.readers.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("its journal is %q (%v)", mode, err)
	}
}

// TestL5DamagedBackup changes or removes bytes of a backup and checks that each such backup is refused.
func TestL5DamagedBackup(t *testing.T) {
	dir, _ := sampleStore(t)
	backup := backUp(t, dir)
	raw, err := io.ReadAll(must2(zstd.NewReader(bytes.NewReader(backup))))
	if err != nil {
		t.Fatal(err)
	}
	verify := func(what string, b []byte) {
		t.Helper()
		_, err := Restore(t.Context(), bytes.NewReader(b), "", backupOptions(t))
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: have %v", what, err)
		}
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 40 {
		n := rng.IntN(len(backup))
		verify(fmt.Sprintf("cut off at %d of %d", n, len(backup)), backup[:n])
		b := bytes.Clone(backup)
		b[n] ^= 1 << rng.IntN(8)
		if same, err := io.ReadAll(must2(zstd.NewReader(bytes.NewReader(b)))); err == nil && bytes.Equal(same, raw) {
			continue // a bit that the decoder ignores
		}
		verify(fmt.Sprintf("byte %d of %d of the frame changed", n, len(backup)), b)
	}
	for range 200 { // not covered by zstd's own checksum
		n := rng.IntN(len(raw) - 2048) // the bytes after the entry of the digest are padding
		b := bytes.Clone(raw)
		b[n] ^= 1 << rng.IntN(8)
		if raw[n] == 0 {
			continue // it may be padding of a block of the tar file
		}
		verify(fmt.Sprintf("byte %d of %d changed", n, len(raw)), must2(zstd.NewWriter(nil)).EncodeAll(b, nil))
	}
	verify("nothing", nil)
	verify("text", []byte("hello"))
}

// TestX17RestoreIsBounded checks that a backup whose sizes contradict each other is refused: before anything is written
// if that is the database, and otherwise before a body beyond the declared size is written (X17).
func TestX17RestoreIsBounded(t *testing.T) {
	dir, _ := sampleStore(t)
	raw := must2(io.ReadAll(must2(zstd.NewReader(bytes.NewReader(backUp(t, dir))))))
	type part struct {
		name string
		body []byte
	}
	var parts []part
	in := tar.NewReader(bytes.NewReader(raw))
	for h, err := in.Next(); err == nil; h, err = in.Next() {
		parts = append(parts, part{h.Name, must2(io.ReadAll(in))})
	}
	header, state := parts[0].body, parts[1].body
	declaring := func(size int) []byte {
		return regexp.MustCompile(`"bytes":\d+`).ReplaceAll(header, fmt.Appendf(nil, `"bytes":%d`, size))
	}
	zeros := make([]byte, 64<<20)
	head := append(bytes.Clone(state[:sqlitefile.HeadBytes]), zeros...)
	binary.BigEndian.PutUint32(head[28:], 1<<31)
	for _, c := range []struct {
		header, state []byte
		why           string
		written       bool
	}{
		{declaring(len(state) - 1), state, "and the whole should have", false},
		{declaring(1 << 40), append(bytes.Clone(state), zeros...), "and its head says", false},
		{declaring(1 << 40), head[:len(state)], "and its head says", false},
		{declaring(1 << 40), zeros, "and its head says 0", false},
		{declaring(len(state) + 1), state, "it has more than the", true},
	} {
		parts[0].body, parts[1].body = c.header, c.state
		var packed bytes.Buffer
		out := tar.NewWriter(&packed)
		for _, p := range parts {
			must(out.WriteHeader(&tar.Header{Name: p.name, Size: int64(len(p.body)), Mode: 0o600}))
			must2(out.Write(p.body))
		}
		must(out.Close())
		o, written := backupOptions(t), int64(0)
		o.Progress = func(_ string, done, _ int64) { written = done }
		_, err := Restore(t.Context(), bytes.NewReader(must2(zstd.NewWriter(nil)).EncodeAll(packed.Bytes(), nil)), "", o)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.why) || written > 0 != c.written {
			t.Errorf("want %q, have %v after %d bytes", c.why, err, written)
		}
	}
}

// TestX17RestoreNeedsRoom checks that a backup is refused before anything is written if the disk has no room for it
// (X17).
func TestX17RestoreNeedsRoom(t *testing.T) {
	if _, err := sqlitefile.RoomOf(t.TempDir()); err != nil {
		t.Skip(err)
	}
	const pages = 1 << 31 // of 64 KiB each
	head := append([]byte("SQLite format 3\x00\x00\x01"), make([]byte, sqlitefile.HeadBytes)...)[:sqlitefile.HeadBytes]
	binary.BigEndian.PutUint32(head[28:], pages)
	header := must2(json.Marshal(Contents{Format: backupFormat, Version: backupVersion, Bytes: pages << 16}))
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	must(out.WriteHeader(&tar.Header{Name: headerName, Size: int64(len(header)), Mode: 0o600}))
	must2(out.Write(header))
	must(out.WriteHeader(&tar.Header{Name: stateName, Size: pages << 16, Mode: 0o600}))
	must2(out.Write(head))
	o := backupOptions(t)
	_, err := Restore(t.Context(), bytes.NewReader(must2(zstd.NewWriter(nil)).EncodeAll(packed.Bytes(), nil)), "", o)
	if _, statErr := os.Stat(o.Scratch); !fault.Is(err, fault.TooLarge) || statErr == nil {
		t.Errorf("%v, and a scratch file: %v", err, statErr == nil)
	}
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestL5BackupRefuses checks that a store that is missing or incomplete cannot be backed up.
func TestL5BackupRefuses(t *testing.T) {
	if _, err := Backup(t.Context(), t.TempDir(), io.Discard, backupOptions(t)); !fault.Is(err, fault.NotFound) {
		t.Errorf("no store: %v", err)
	}
	dir, s := sampleStore(t)
	var file string
	if err := s.readers.QueryRow("SELECT file FROM blobs WHERE body IS NULL").Scan(&file); err != nil {
		t.Fatal(err)
	}
	path := s.bodies.body("blobs", file).path
	write(t, path, []byte("damaged"))
	_, err := Backup(t.Context(), dir, io.Discard, backupOptions(t))
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged body: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := backupOptions(t)
	if _, err := Backup(ctx, dir, io.Discard, o); err == nil {
		t.Error("a cancelled one succeeded")
	}
	if _, err := os.Stat(o.Scratch); err == nil {
		t.Error("the copy of the database was left behind")
	}
}

// FuzzRestore checks that no backup, whatever it contains, makes Restore write outside the folder or crash.
func FuzzRestore(f *testing.F) {
	dir, _ := sampleStore(f)
	raw := must2(io.ReadAll(must2(zstd.NewReader(bytes.NewReader(backUp(f, dir))))))
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		parent := t.TempDir()
		o := backupOptions(t)
		_, err := Restore(t.Context(), bytes.NewReader(must2(zstd.NewWriter(nil)).EncodeAll(raw, nil)),
			filepath.Join(parent, "store"), o)
		if err == nil {
			open(t, filepath.Join(parent, "store")).Close()
		}
		if entries, _ := os.ReadDir(parent); len(entries) > 1 {
			t.Errorf("beside the store: %v", entries)
		}
	})
}
