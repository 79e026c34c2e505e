package azure

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/storage"
)

func anyValue() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Bool().AsAny(), rapid.Int32().AsAny(), rapid.Int64().AsAny(), rapid.String().AsAny(),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).AsAny(),
		rapid.Map(rapid.Int32(), func(n int32) float64 { return float64(n) }).AsAny(),
		rapid.SliceOf(rapid.Byte()).AsAny(),
	)
}

func anyEntity(t *rapid.T) storage.Entity {
	return storage.Entity{
		Key:   storage.Key{Partition: rapid.String().Draw(t, "partition"), Row: rapid.String().Draw(t, "row")},
		Props: rapid.MapOf(rapid.StringMatching(`[A-V][A-Za-z0-9_]{0,20}`), anyValue()).Draw(t, "columns"),
	}
}

// TestEncodeRoundTrip checks that values are read back with the same types. The encoded entity must be one line of
// ASCII (for Azurite) and valid JSON, and never larger than the port's estimate.
func TestEncodeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEntity(t)
		for name := range e.Props {
			if name == "PartitionKey" || name == "RowKey" || name == "Timestamp" {
				delete(e.Props, name)
			}
		}
		body := encode(e, "token-of-16bytes")
		if !json.Valid(body) {
			t.Fatalf("not JSON: %s", body)
		}
		if i := bytes.IndexFunc(body, func(r rune) bool { return r < 0x20 || r >= 0x7f }); i >= 0 {
			t.Fatalf("byte %d is not printable ASCII: %q", i, body)
		}
		if n := storage.JSONSize(e); len(body) > n {
			t.Fatalf("%d bytes, estimated %d: %s", len(body), n, body)
		}
		have, err := decodeOne(body)
		if err != nil {
			t.Fatal(err)
		}
		if have.token != "token-of-16bytes" {
			t.Fatalf("token %q", have.token)
		}
		if d := cmp.Diff(e, have.Entity); d != "" {
			t.Fatalf("entity (-want +have):\n%s", d)
		}
	})
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want storage.Entity
	}{
		"a double by its point": {`{"N":3.0,"M":1e3,"I":3}`,
			storage.Entity{Props: storage.Properties{"N": 3.0, "M": 1e3, "I": int32(3)}}},
		"what others wrote": {
			`{"odata.etag":"W/\"1\"","G@odata.type":"Edm.Guid","G":"00000000-0000-0000-0000-000000000000",` +
				`"Big":4294967296,"Null":null}`,
			storage.Entity{ETag: `W/"1"`, Props: storage.Properties{"G": "00000000-0000-0000-0000-000000000000",
				"Big": int64(1 << 32)}},
		},
		"the time stands in for a revision": {
			`{"Timestamp":"2026-11-21T10:00:00.1234567Z"}`,
			storage.Entity{ETag: `W/"datetime'2026-11-21T10%3A00%3A00.1234567Z'"`, Props: storage.Properties{}},
		},
	} {
		have, err := decodeOne([]byte(c.body))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, have.Entity); d != "" {
			t.Errorf("%s (-want +have):\n%s", name, d)
		}
	}
	for _, bad := range []string{``, `[]`, `{"PartitionKey":1}`, `{"A":{}}`, `{"A@odata.type":"Edm.Int64","A":"x"}`,
		`{"A@odata.type":"Edm.Binary","A":"!"}`, `{"A":1e999}`} {
		if _, err := decodeOne([]byte(bad)); err == nil {
			t.Errorf("%s: have no error", bad)
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add([]byte(`{"value":[{"PartitionKey":"p","RowKey":"r",` +
		`"N@odata.type":"Edm.Int64","N":"7","B@odata.type":"Edm.Binary","B":"AA=="}]}`))
	f.Add([]byte(`{"value":[{"A":1.5,"B":true,"C":null,"Timestamp":"x","odata.etag":"y"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := decodePage(body)
		if err != nil {
			return
		}
		for _, row := range rows {
			for name, v := range row.Props {
				switch v.(type) {
				case string, bool, int32, int64, float64, []byte:
				default:
					t.Errorf("column %s has the type %T", name, v)
				}
			}
		}
	})
}

const goodBatch = "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n" +
	"--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
	"HTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\nETag: W/\"datetime'2026'\"\r\n\r\n\r\n" +
	"--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
	"HTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\n\r\n\r\n" +
	"--changesetresponse_1--\r\n--batchresponse_1--\r\n"

// badBatch has the shape of the documentation's sample error response.
const badBatch = "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n" +
	"--changesetresponse_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
	"HTTP/1.1 409 Conflict\r\nContent-ID: 3\r\nContent-Type: application/json;odata=minimalmetadata\r\n\r\n" +
	`{"odata.error":{"code":"EntityAlreadyExists","message":` +
	`{"lang":"en-US","value":"2:The specified entity already exists.\nRequestId:1"}}}` + "\r\n" +
	"--changesetresponse_1--\r\n--batchresponse_1--\r\n"

func TestParseBatch(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []part
	}{
		"applied": {goodBatch, []part{{status: 204, etag: `W/"datetime'2026'"`, index: -1},
			{status: 204, index: -1}}},
		"refused": {badBatch, []part{{status: 409, code: "EntityAlreadyExists", index: 2}}},
		"refused for no op": {strings.Replace(badBatch, "2:The", "The", 1),
			[]part{{status: 409, code: "EntityAlreadyExists", index: -1}}},
		"an index too large": {strings.Replace(badBatch, "2:The", "100:The", 1),
			[]part{{status: 409, code: "EntityAlreadyExists", index: -1}}},
		"no reason": {strings.Replace(badBatch, "odata.error", "error", 1), []part{{status: 409, index: -1}}},
	} {
		have, err := parseBatch([]byte(c.body))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, have, cmp.AllowUnexported(part{})); d != "" {
			t.Errorf("%s (-want +have):\n%s", name, d)
		}
	}
	for _, bad := range []string{"", "\r\n", "--", "x", "--b\r\n\r\n--b--", badBatch[:200], `{"odata.error":{}}`} {
		if parts, err := parseBatch([]byte(bad)); err == nil {
			t.Errorf("%q: have %v, want an error", bad, parts)
		}
	}
}

func FuzzParseBatch(f *testing.F) {
	f.Add([]byte(goodBatch))
	f.Add([]byte(badBatch))
	f.Add([]byte("--b\n\n--c\n\nHTTP/1.1 204\n\n\n--c--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		parts, err := parseBatch(body)
		if err == nil && len(parts) > storage.MaxOps {
			t.Errorf("%d parts", len(parts))
		}
		for _, p := range parts {
			if p.index < -1 || p.index >= storage.MaxOps {
				t.Errorf("index %d", p.index)
			}
		}
	})
}

// TestEncodeFloat checks that a double is recognized without its annotation.
func TestEncodeFloat(t *testing.T) {
	for f, want := range map[float64]string{3: "3.0", -3: "-3.0", 0.5: "0.5", 1e21: "1e+21",
		1 << 60: "1.152921504606847e+18"} {
		if d := cmp.Diff(want, string(appendFloat(nil, f))); d != "" {
			t.Errorf("%v (-want +have):\n%s", f, d)
		}
	}
}

// TestFilter checks that quotes in bounds do not end a constant.
func TestFilter(t *testing.T) {
	q := storage.Query{Partition: "o'brien' or '1' eq '1", RowFrom: "a'", RowTo: "b"}
	want := `PartitionKey eq 'o''brien'' or ''1'' eq ''1' and RowKey ge 'a''' and RowKey lt 'b'`
	if d := cmp.Diff(want, filter(q)); d != "" {
		t.Errorf("filter (-want +have):\n%s", d)
	}
	q = storage.Query{Partition: "p", Where: map[string]string{"status": "Error", "host": "o'h"}}
	if d := cmp.Diff("PartitionKey eq 'p' and host eq 'o''h' and status eq 'Error'", filter(q)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("", filter(storage.Query{})); d != "" {
		t.Errorf("filter of everything (-want +have):\n%s", d)
	}
	if top := *listOptions(storage.Query{}).Top; top != storage.MaxPage {
		t.Errorf("asks for %d rows a page, want %d", top, storage.MaxPage)
	}
}
