package warc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/warc/warctest"
)

// TestWarcioReads checks that the reader of Webrecorder's tools finds every record at its position with its digests,
// decodes nothing twice, and resolves each revisit.
func TestWarcioReads(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{
		"example.warc": example(t, false), "example.warc.gz": example(t, true),
		"odd.warc": oddBodies(t, false), "odd.warc.gz": oddBodies(t, true),
	}
	var names, paths []string
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o644))
		names, paths = append(names, name), append(paths, path)
	}
	for i, r := range warctest.Read(t, paths...) {
		t.Run(names[i], func(t *testing.T) {
			zipped := filepath.Ext(names[i]) == ".gz"
			want, err := readAll(files[names[i]], zipped)
			must(t, err)
			checkRecords(t, r, want)
			checkIndex(t, r, files[names[i]], zipped)
		})
	}
}

func checkRecords(t *testing.T, have warctest.Reading, want []readRecord) {
	t.Helper()
	if len(have.Records) != len(want) {
		t.Fatalf("have %d records, want %d", len(have.Records), len(want))
	}
	payloads := map[string]string{} // by record id
	for i, r := range have.Records {
		for name := range want[i].Header {
			if value := r.Warc[strings.ToLower(name)]; value != want[i].get(name) {
				t.Errorf("record %d: %s: have %q, want %q", i, name, value, want[i].get(name))
			}
		}
		if digest := r.Warc["warc-block-digest"]; r.Version != "WARC/1.1" || digest != "" && digest != r.Block {
			t.Errorf("record %d: have %s with block %s, want %s", i, r.Version, r.Block, digest)
		}
		switch r.Warc["warc-type"] {
		case "response":
			payloads[r.Warc["warc-record-id"]] = r.PayloadDigest
			if r.Warc["warc-payload-digest"] != r.PayloadDigest || r.Status == 0 {
				t.Errorf("record %d: have status %d, payload %s, want %s", i, r.Status, r.PayloadDigest,
					r.Warc["warc-payload-digest"])
			}
		case "revisit":
			if of := payloads[r.Warc["warc-refers-to"]]; of != r.Warc["warc-payload-digest"] || r.Payload != "" {
				t.Errorf("record %d: revisit of %s with payload %s and body %q", i, of, r.Warc["warc-payload-digest"], r.Payload)
			}
		}
	}
}

// checkIndex reads each record at its position in warcio's index.
func checkIndex(t *testing.T, have warctest.Reading, file []byte, zipped bool) {
	t.Helper()
	if len(have.Index) != len(have.Records)-1 { // all but the warcinfo
		t.Fatalf("%d entries for %d records", len(have.Index), len(have.Records))
	}
	for i, at := range have.Index {
		end := at.Offset + at.Length
		if !zipped {
			end += 4 // warcio counts without the two lines behind a record
		}
		record, rest, err := nextRecord(file[at.Offset:end], zipped)
		if err != nil || len(rest) > 0 {
			t.Errorf("entry %d: %v, and %d bytes are left", i, err, len(rest))
			continue
		}
		r, err := parseRecord(record)
		must(t, err)
		if r.get("WARC-Target-URI") != at.URL {
			t.Errorf("entry %d is of %s, want %s", i, r.get("WARC-Target-URI"), at.URL)
		}
	}
}

// oddBodies is a file of bodies that a reader may stumble over, each with a revisit.
func oddBodies(t *testing.T, zip bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, zip)
	must(t, w.Info(Info{At: noon}))
	random := rand.New(rand.NewPCG(1, 2))
	bodies := [][]byte{
		nil, []byte("\r\n"), []byte("\r\n\r\n"), []byte("\r\n\r\nWARC/1.1\r\n"), []byte("WARC/1.1\r\n\r\n"),
		[]byte("5\r\nhello\r\n0\r\n\r\n"), {0x1f, 0x8b, 8, 0}, example(t, false), example(t, true),
	}
	for size := 1; size < 1<<20; size = size*3 + 1 {
		body := make([]byte, size)
		for i := range body {
			body[i] = "\r\n\x00\xffaWARC/1.1: "[random.IntN(14)]
		}
		bodies = append(bodies, body)
	}
	for i, body := range bodies {
		uri := fmt.Sprintf("https://example.com/%d", i)
		r, err := w.Response(Response{
			URI: uri, At: noon, Status: 200, Body: bytes.NewReader(body),
			Header: map[string][]string{"Content-Encoding": {"gzip"}, "Transfer-Encoding": {"chunked"}},
		})
		must(t, err)
		must(t, w.Revisit(Revisit{URI: uri, At: noon.Add(time.Hour), Of: r, NotModified: i%2 == 0}))
	}
	return out.Bytes()
}
