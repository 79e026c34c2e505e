//go:build unix

package file_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// TestLocalFileThatChangesWhileItIsRead writes to the file when the clock is read, which is between the properties
// and the bytes.
func TestLocalFileThatChangesWhileItIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		writes int
		write  func(path string, n int) error
		body   string
		kind   fault.Kind
	}{
		"grows once": {1, func(path string, n int) error { return os.WriteFile(path, []byte("longer"), 0o644) }, "longer",
			""},
		"shrinks once": {1, func(path string, n int) error { return os.Truncate(path, 1) }, "1", ""},
		"same length": {1, func(path string, n int) error { return os.WriteFile(path, []byte("98765"), 0o644) }, "98765",
			""},
		"never rests": {100,
			func(path string, n int) error { return os.WriteFile(path, fmt.Append(nil, n, "....."), 0o644) }, "",
			fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			path, n := filepath.Join(t.TempDir(), "a"), 0
			write(t, path, "12345")
			age(t, path, time.Hour)
			c := newClient(t, file.Config{Root: filepath.Dir(path), Now: func() time.Time {
				if n++; n <= tc.writes {
					must(t, tc.write(path, n))
				}
				return time.Now()
			}})
			got, err := c.Get(context.Background(), file.Request{Location: place(t, path)})
			if string(got.Body) != tc.body || fault.KindOf(err) != tc.kind || err == nil && got.RawHash != rawHash(tc.body) {
				t.Errorf("have %q, %v", got.Body, err)
			}
		})
	}
}

func TestA9BoundsOfABody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for name, tc := range map[string]struct {
		size     int
		tooLarge bool
	}{"empty": {0, false}, "as long as allowed": {1000, false}, "a byte more": {1001, true},
		"much more": {300_000, true}} {
		t.Run(name, func(t *testing.T) {
			body := strings.Repeat("x", tc.size)
			write(t, path, body)
			got, err := newClient(t, file.Config{Root: filepath.Dir(path), MaxBytes: 1000}).Get(context.Background(),
				file.Request{Location: place(t, path)})
			must(t, err)
			if got.TooLarge != tc.tooLarge || (got.Body == nil) != tc.tooLarge || got.RawHash != rawHash(body) ||
				got.Length != int64(tc.size) {
				t.Errorf("have %d bytes, too large %v, %s", len(got.Body), got.TooLarge, got.RawHash)
			}
		})
	}
}

// allocated returns how many bytes f allocates in total, which is more than it ever holds at once.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const ceiling = 4 << 20

func TestA9LongLocalFileIsHashedInFlatMemory(t *testing.T) {
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "sparse")
	write(t, path, "")
	must(t, os.Truncate(path, size))
	var got file.Response
	used := allocated(func() {
		var err error
		got, err = newClient(t, file.Config{Root: filepath.Dir(path), Timeout: time.Minute}).Get(context.Background(),
			file.Request{Location: place(t, path)})
		must(t, err)
	})
	if want := hashOfZeros(size); !got.TooLarge || got.RawHash != want || got.Length != size {
		t.Errorf("have %+v, want %s", got, want)
	}
	if used > ceiling {
		t.Errorf("%d bytes were allocated, want at most %d", used, ceiling)
	}
}

// hashOfZeros returns the hash of n zero bytes, with n in whole MiB.
func hashOfZeros(n int) string {
	sum, zeros := sha256.New(), make([]byte, 1<<20)
	for range n >> 20 {
		sum.Write(zeros)
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil))
}

// sendZeros answers with n zero bytes.
func sendZeros(w io.Writer, n int) {
	zeros := make([]byte, 1<<20)
	for range n >> 20 {
		if _, err := w.Write(zeros); err != nil {
			return
		}
	}
}

// longBlob is the length of the blob that is hashed as a stream. With -file.blob=2147483648 it is the required 2 GiB.
// A sixteenth of that shows the same in seconds.
var longBlob = flag.Int("file.blob", 128<<20, "bytes of the blob that is hashed as it streams by, in whole MiB")

func TestA9LongBlobIsHashedInFlatMemory(t *testing.T) {
	size := *longBlob
	sent, sum := sha256.New(), make(chan string, 1)
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"0x1"`)
		w.Header().Set("Content-Length", fmt.Sprint(size))
		sendZeros(io.MultiWriter(sent, w), size)
		sum <- fmt.Sprintf("sha256:%x", sent.Sum(nil))
	})
	c := newClient(t, file.Config{Transport: way, Timeout: 5 * time.Minute})
	var got file.Response
	used := allocated(func() {
		var err error
		got, err = c.Get(context.Background(), file.Request{Location: place(t,
			"https://acct.blob.core.windows.net/docs/big.zip")})
		must(t, err)
	})
	if !got.TooLarge || got.Body != nil || got.RawHash != <-sum || got.Length != int64(size) || got.ETag != "0x1" {
		t.Errorf("have %+v", got)
	}
	if used > 2*ceiling { // includes the memory of the server
		t.Errorf("%d bytes were allocated, want at most %d", used, 2*ceiling)
	}
}

// TestFileThatIsTooLongToHash checks that a file too long to hash is recorded by its properties and is no failure.
func TestFileThatIsTooLongToHash(t *testing.T) {
	for name, tc := range map[string]struct {
		length  int64
		timeout time.Duration
	}{
		"longer than is ever hashed": {file.MaxHashed + 1, time.Minute},
		"slower than the time":       {1 << 30, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			way := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"0x1"`)
				w.Header().Set("Content-Length", fmt.Sprint(tc.length))
				sendZeros(w, 1<<20)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			c := newClient(t, file.Config{Transport: way, Timeout: tc.timeout, MaxBytes: 1 << 20})
			got, err := c.Get(context.Background(), file.Request{Location: place(t,
				"https://acct.blob.core.windows.net/docs/big.zip")})
			if err != nil || !got.TooLarge || got.RawHash != "" || got.Length != tc.length || got.ETag != "0x1" {
				t.Errorf("have %+v, %v", got, err)
			}
		})
	}
}

func TestReadingEndsWithItsTime(t *testing.T) {
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "12345")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	p := place(t, "https://acct.blob.core.windows.net/docs/slow")
	_, err := newClient(t, file.Config{Transport: way, Timeout: 200 * time.Millisecond}).Get(context.Background(),
		file.Request{Location: p})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, strings.Repeat("x", 100))
	for _, limit := range []int64{10, 1000} { // one limit keeps the body, the other only hashes it
		_, err := newClient(t, file.Config{Root: filepath.Dir(path), MaxBytes: limit}).Get(ctx,
			file.Request{Location: place(t, path)})
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("limit %d: have %v", limit, err)
		}
	}
}

// TestBodyWithoutLength checks that a length that is missing or wrong does not bypass the limit.
func TestBodyWithoutLength(t *testing.T) {
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"0x1"`)
		w.(http.Flusher).Flush()
		if strings.HasSuffix(r.URL.Path, "big") {
			sendZeros(w, 3<<20)
		} else {
			_, _ = io.WriteString(w, "small")
		}
	})
	c := newClient(t, file.Config{Transport: way, MaxBytes: 1 << 20})
	got, err := c.Get(context.Background(),
		file.Request{Location: place(t, "https://acct.blob.core.windows.net/docs/big")})
	if err != nil || !got.TooLarge || got.Body != nil || got.Length != 3<<20 || got.RawHash != hashOfZeros(3<<20) {
		t.Errorf("have %+v, %v", got, err)
	}
	got, err = c.Get(context.Background(),
		file.Request{Location: place(t, "https://acct.blob.core.windows.net/docs/small")})
	if err != nil || got.TooLarge || string(got.Body) != "small" || got.Length != 5 {
		t.Errorf("have %+v, %v", got, err)
	}
}
