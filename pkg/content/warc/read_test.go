package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// readRecord is what the strict reader found.
type readRecord struct {
	Header textproto.MIMEHeader
	Block  []byte
}

func (r readRecord) get(name string) string { return r.Header.Get(name) }

// response reads the block as HTTP with the standard library, which knows nothing of this package.
func (r readRecord) response() (*http.Response, []byte, error) {
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.Block)), nil)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// httpHeader is the header of the block, without the length that the writer put there last.
func (r readRecord) httpHeader() map[string][]string {
	_, head, _ := bytes.Cut(r.Block, []byte("\r\n"))
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(head))).ReadMIMEHeader()
	if err != nil {
		return map[string][]string{"error": {err.Error()}}
	}
	header.Del("Content-Length")
	return header
}

// readAll reads a file by the grammar of ISO 28500 §4 and refuses whatever departs from it. A
// compressed file has one record in each member.
func readAll(file []byte, zipped bool) ([]readRecord, error) {
	var out []readRecord
	ids := map[string]bool{}
	for len(file) > 0 {
		record, rest, err := nextRecord(file, zipped)
		if err != nil {
			return out, fmt.Errorf("record %d: %w", len(out)+1, err)
		}
		file = rest
		r, err := parseRecord(record)
		if err == nil {
			err = r.check(ids)
		}
		if err != nil {
			return out, fmt.Errorf("record %d: %w", len(out)+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func nextRecord(file []byte, zipped bool) (record, rest []byte, err error) {
	if zipped {
		from := bytes.NewReader(file) // a ByteReader, so nothing behind the member is consumed
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, nil, err
		}
		z.Multistream(false)
		record, err = io.ReadAll(z)
		return record, file[len(file)-from.Len():], err
	}
	head, _, ok := bytes.Cut(file, []byte("\r\n\r\n"))
	if !ok {
		return nil, nil, fmt.Errorf("no end of the header")
	}
	_, after, _ := strings.Cut(string(head), "\r\nContent-Length: ")
	digits, _, _ := strings.Cut(after, "\r\n")
	n, err := strconv.Atoi(digits)
	end := len(head) + 4 + n + 4
	if err != nil || end > len(file) {
		return nil, nil, fmt.Errorf("content length %q, with %d bytes left", digits, len(file)-len(head))
	}
	return file[:end], file[end:], nil
}

func parseRecord(record []byte) (readRecord, error) {
	head, block, ok := bytes.Cut(record, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	if !ok || lines[0] != "WARC/1.1" {
		return readRecord{}, fmt.Errorf("begins %.20q", record)
	}
	header := textproto.MIMEHeader{}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		if !ok || !isToken(name) || strings.ContainsAny(value, "\r\n") || header.Get(name) != "" {
			return readRecord{}, fmt.Errorf("header line %q", line)
		}
		header.Set(name, value)
	}
	block, ok = bytes.CutSuffix(block, []byte("\r\n\r\n"))
	if !ok || header.Get("Content-Length") != strconv.Itoa(len(block)) {
		return readRecord{}, fmt.Errorf("block of %d bytes for content length %s, two lines after it = %t",
			len(block), header.Get("Content-Length"), ok)
	}
	return readRecord{header, block}, nil
}

// check verifies the fields that every record has, its digests, and that what it refers to came before.
func (r readRecord) check(ids map[string]bool) error {
	id := r.get("WARC-Record-ID")
	if !strings.HasPrefix(id, "<urn:uuid:") || len(id) != len("<urn:uuid:>")+36 {
		return fmt.Errorf("record id %q", id)
	}
	ids[id] = true
	if at, err := time.Parse(time.RFC3339Nano, r.get("WARC-Date")); err != nil || at.Location() != time.UTC {
		return fmt.Errorf("date %q: %v", r.get("WARC-Date"), err)
	}
	if have := r.get("WARC-Block-Digest"); have != sha(r.Block) && (have != "" || len(r.Block) > 0) {
		return fmt.Errorf("block digest %q, want %q", have, sha(r.Block))
	}
	switch r.get("WARC-Type") {
	case "response":
		_, body, err := r.response()
		if err != nil || r.get("WARC-Payload-Digest") != sha(body) {
			return fmt.Errorf("payload digest %q, want %q (%v)", r.get("WARC-Payload-Digest"), sha(body), err)
		}
	case "revisit":
		if !ids[r.get("WARC-Refers-To")] {
			return fmt.Errorf("refers to %q, which is not before it", r.get("WARC-Refers-To"))
		}
	}
	return nil
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
