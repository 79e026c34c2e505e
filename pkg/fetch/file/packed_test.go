package file_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close() // a buffer never fails
	return b.String()
}

// TestX7PackedFiles checks X7: gzip in a text of a blob or of this machine is removed within the limit, whether it is
// declared or not. Archives stay as they are, and what is broken or too large is not taken for its text.
func TestX7PackedFiles(t *testing.T) {
	text := "The tide turns at the quay. " + strings.Repeat("Walls of stone. ", 20)
	zip, bomb := packed(text), packed(strings.Repeat("x", 1<<20))
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		path, body, kind, encoding string
		want, left                 string
		fails                      fault.Kind
	}{
		"declared text":            {"a", zip, "text/plain", "", text, "", ""},
		"declared HTML, charset":   {"a", zip, "text/html; charset=utf-8", "", text, "", ""},
		"declared coding":          {"a", zip, "application/pdf", "gzip", text, "", ""},
		"declared coding, twice":   {"a", packed(zip), "text/html", "gzip", text, "", ""},
		"coding that is not there": {"a", text, "text/html", "gzip", text, "", ""},
		"no type, a name":          {"a.html", zip, "", "", text, "", ""},
		"the type of no type":      {"a.MD", zip, "application/octet-stream", "", text, "", ""},
		"a file of this machine":   {"", zip, "", "", text, "", ""},
		"an archive":               {"a.txt.gz", zip, "application/octet-stream", "", zip, "", ""},
		"a declared archive":       {"a.txt", zip, "application/gzip", "", zip, "", ""},
		"an archive inside":        {"a.txt", packed(zip), "text/plain", "", packed(zip), "", ""},
		"broken":                   {"a.txt", zip[:len(zip)/2], "text/plain", "", zip[:len(zip)/2], "", ""},
		"too large":                {"a.txt", bomb, "text/plain", "", bomb, "", ""},
		"broken, declared":         {"a.txt", zip[:len(zip)/2], "text/plain", "gzip", "", "", fault.Unavailable},
		"too large, declared":      {"a.txt", bomb, "text/plain", "gzip", "", "", ""},
		"a coding that nobody knows": {"a.txt", "\x01\x02\x03\x04\x05\x06\x07\x08", "text/plain", "rot13",
			"\x01\x02\x03\x04\x05\x06\x07\x08", "rot13", ""},
	} {
		way := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", tc.kind)
			if tc.encoding != "" {
				w.Header().Set("Content-Encoding", tc.encoding)
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(tc.body)))
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			_, _ = w.Write([]byte(tc.body))
		})
		c := newClient(t, file.Config{Transport: way, Root: dir, MaxBytes: 10_000})
		places := []string{"https://acct.blob.core.windows.net/docs/" + tc.path}
		if tc.path == "" {
			places[0] = filepath.Join(dir, "a.txt")
			must(t, os.WriteFile(places[0], []byte(tc.body), 0o600))
		}
		got, err := c.Get(context.Background(), file.Request{Location: place(t, places[0])})
		if tc.fails != "" && !fault.Is(err, tc.fails) || tc.fails == "" && (err != nil || string(got.Body) != tc.want ||
			got.Encoding != tc.left || got.Length != int64(len(tc.body)) || got.TooLarge != (tc.want == "") ||
			got.RawHash == "") || got.WireBytes != int64(len(tc.body)) {
			t.Errorf("%s: %d bytes of %d, coding %q, too large %v, %v", name, len(got.Body), got.WireBytes,
				got.Encoding, got.TooLarge, err)
		}
	}
}
