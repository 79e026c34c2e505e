package row

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

type kind string

type counts struct {
	Good int   `col:"good"`
	Bad  int64 `col:"bad"`
}

type sample struct {
	Name    string         `col:"name"`
	Kind    kind           `col:"kind"`
	Note    string         `col:"note,always"`
	On      bool           `col:"on"`
	N       int            `col:"n"`
	Cost    float64        `col:"cost"`
	At      time.Time      `col:"at"`
	Delay   time.Duration  `col:"delayMs,ms"`
	Tags    []string       `col:"tags"`
	ByHost  map[string]int `col:"byHost,always"`
	Raw     []byte         `col:"raw"`
	Blob    []string       `col:"blob,bytes"`
	Long    []byte         `col:"long,parts"`
	Packed  []string       `col:"packed,gzip"`
	Counts  counts         `col:",inline"`
	Ignored int
}

var samples = Of[sample]()

func full() sample {
	return sample{
		Name: "a <b>", Kind: "k", Note: "n", On: true, N: 3, Cost: 1.5, At: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000,
			time.UTC),
		Delay: 1500 * time.Millisecond, Tags: []string{"<x>"}, ByHost: map[string]int{"a": 1}, Raw: []byte{1},
		Blob: []string{"&"},
		Long: bytes.Repeat([]byte{7}, partBytes+1), Packed: []string{"p"}, Counts: counts{4, 5},
	}
}

func TestEncode(t *testing.T) {
	v := full()
	have := samples.Encode(&v)
	want := storage.Properties{
		"name": "a <b>", "kind": "k", "note": "n", "on": true, "n": int64(3), "cost": 1.5, "at": "2026-01-02T03:04:05.006Z",
		"delayMs": int64(1500), "tags": `["<x>"]`, "byHost": `{"a":1}`, "raw": []byte{1}, "blob": []byte(`["&"]`),
		"long0": v.Long[:partBytes], "long1": v.Long[partBytes:], "packed0": have["packed0"], "good": int64(4),
		"bad": int64(5),
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Errorf("(-want +have):\n%s", d)
	}
	back, err := samples.Decode(have)
	if d := cmp.Diff(v, back); err != nil || d != "" {
		t.Errorf("%v (-want +have):\n%s", err, d)
	}
}

// TestEncodeEmpty checks that empty values are omitted, except for numbers, booleans and columns tagged always.
func TestEncodeEmpty(t *testing.T) {
	want := storage.Properties{
		"note": "", "on": false, "n": int64(0), "cost": 0.0, "delayMs": int64(0), "byHost": "null", "good": int64(0),
		"bad": int64(0),
	}
	if d := cmp.Diff(want, samples.Encode(&sample{})); d != "" {
		t.Errorf("(-want +have):\n%s", d)
	}
	back, err := samples.Decode(want)
	if d := cmp.Diff(sample{}, back); err != nil || d != "" {
		t.Errorf("%v (-want +have):\n%s", err, d)
	}
}

// TestEmptyListIsNotNil checks that an empty list, which may have a meaning of its own, is not read as nil.
func TestEmptyListIsNotNil(t *testing.T) {
	for _, v := range []sample{{Tags: []string{}}, {}} {
		back, err := samples.Decode(samples.Encode(&v))
		if err != nil || (back.Tags == nil) != (v.Tags == nil) {
			t.Errorf("%#v becomes %#v, %v", v.Tags, back.Tags, err)
		}
	}
}

func TestDecodeDamaged(t *testing.T) {
	have, err := samples.Decode(storage.Properties{
		"name": int64(1), "on": "yes", "n": "three", "cost": true, "at": "soon", "tags": "{", "blob": []byte("{"),
		"packed0": []byte("no gzip"), "good": int32(4), "unknown": "x",
	})
	if d := cmp.Diff(sample{Counts: counts{Good: 4}}, have); err != nil || d != "" {
		t.Errorf("%v: damage shows:\n%s", err, d)
	}
}

func TestDecodeMust(t *testing.T) {
	type strict struct {
		Name string   `col:"name"`
		List []string `col:"list,must"`
	}
	rows := Of[strict]()
	for name, c := range map[string]struct {
		props storage.Properties
		bad   bool
	}{
		"good":         {storage.Properties{"name": "a", "list": `["x"]`}, false},
		"missing":      {storage.Properties{"name": "a"}, false},
		"damaged":      {storage.Properties{"name": "a", "list": `["x"`}, true},
		"another type": {storage.Properties{"name": "a", "list": int64(1)}, true},
	} {
		have, err := rows.Decode(c.props)
		if (err != nil) != c.bad || have.Name != "a" || (len(have.List) == 1) != (name == "good") {
			t.Errorf("%s: %+v, %v", name, have, err)
		}
	}
}

// TestText checks that texts from strangers never prevent the write of a row.
func TestText(t *testing.T) {
	if got := text("a\xffb"); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
	if got := text(strings.Repeat("漢", maxText+1)); len([]rune(got)) != maxText {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

func TestGunzipIsBounded(t *testing.T) {
	packed := Gzip(make([]byte, 100))
	if b, err := Gunzip(packed, 100); err != nil || len(b) != 100 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := Gunzip(packed, 99); !fault.Is(err, fault.TooLarge) {
		t.Error(err)
	}
}

func TestLoadAndPut(t *testing.T) {
	ctx, table, key := t.Context(), mem.New(time.Now).Table("Rows"), storage.Key{Partition: "p", Row: "r"}
	if err := table.Create(ctx); err != nil {
		t.Fatal(err)
	}
	v, etag, err := samples.Load(ctx, table, key)
	if err != nil || etag != "" || v.N != 0 {
		t.Fatalf("a row that does not exist: %+v %q %v", v, etag, err)
	}
	for n := 1; n <= 2; n++ {
		v.N = n
		if _, err := table.Transact(ctx, samples.Put(key, etag, &v)); err != nil {
			t.Fatal(err)
		}
		old := etag
		if v, etag, err = samples.Load(ctx, table, key); err != nil || v.N != n {
			t.Fatal(v, err)
		}
		if _, err := table.Transact(ctx, samples.Put(key, old, &v)); !fault.Is(err, fault.Conflict) {
			t.Errorf("a row that has changed since: %v", err)
		}
	}
}
