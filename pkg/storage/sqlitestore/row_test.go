package sqlitestore

import (
	"bytes"
	"encoding/hex"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/storage"
)

var someColumns = storage.Properties{
	"S": "é\x00", "E": "", "B": []byte{0, 0xff}, "N": []byte{}, "T": true, "F": false,
	"I": int32(math.MinInt32), "L": int64(math.MaxInt64), "D": -0.5,
}

// TestOldRow checks that existing files can be read: version 1 wrote this row.
func TestOldRow(t *testing.T) {
	const old = "010142620200ff014464000000000000e0bf01457300014666014969ffffffff0f" +
		"014c6cfeffffffffffffffff01014e6200015373" + "03c3a900" + "015474"
	if have := hex.EncodeToString(encodeProps(someColumns)); have != old {
		t.Errorf("have %s, want %s", have, old)
	}
	data, _ := hex.DecodeString(old)
	have, err := decodeProps(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(someColumns, have); d != "" {
		t.Error(d)
	}
}

func anyProps() *rapid.Generator[storage.Properties] {
	value := rapid.OneOf(
		rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Int32().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(),
		rapid.SliceOf(rapid.Byte()).AsAny(),
	)
	return rapid.Custom(func(t *rapid.T) storage.Properties {
		return rapid.MapOfN(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,20}`), value, 0, 20).Draw(t, "columns")
	})
}

func TestRowsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProps().Draw(t, "row")
		data := encodeProps(p)
		have, err := decodeProps(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, have, cmpopts.EquateNaNs()); d != "" {
			t.Fatal(d)
		}
		if again := encodeProps(have); !bytes.Equal(data, again) {
			t.Fatalf("have %x, then %x", data, again)
		}
		if len(p) == 0 {
			return
		}
		if _, err := decodeProps(data[:len(data)-1], nil); err == nil {
			t.Fatal("a row that was cut off is read")
		}
	})
}

func TestSelectedColumns(t *testing.T) {
	have, err := decodeProps(encodeProps(someColumns), []string{"D", "S", "None"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(storage.Properties{"D": -0.5, "S": "é\x00"}, have); d != "" {
		t.Error(d)
	}
}

// TestMergedColumns checks that a merge of the bytes is a merge of the columns, and that a row that is small needs no
// measuring.
func TestMergedColumns(t *testing.T) {
	short := rapid.MapOfN(rapid.StringMatching(`[A-D]{1,2}`), rapid.String().AsAny(), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		old, given := anyProps().Draw(t, "row"), anyProps().Draw(t, "merged")
		maps.Copy(old, short.Draw(t, "columns of the row"))
		maps.Copy(given, short.Draw(t, "columns of both"))
		have, n, err := mergeColumns(encodeProps(old), encodeProps(given))
		if err != nil {
			t.Fatal(err)
		}
		all := maps.Clone(old)
		maps.Copy(all, given)
		if want := encodeProps(all); !bytes.Equal(have, want) || n != len(all) {
			t.Fatalf("have %d columns %x, want %d %x", n, have, len(all), want)
		}
		if isSmall(have, n) && isTooLarge(storage.Key{Partition: "p", Row: "r"}, have) {
			t.Fatal("a small row is too large")
		}
		if len(old) > 0 {
			cut := encodeProps(old)
			if _, _, err := mergeColumns(cut[:len(cut)-1], encodeProps(given)); err == nil {
				t.Fatal("a row that was cut off is merged")
			}
		}
	})
}

// FuzzDecode decodes bytes that the program never wrote.
func FuzzDecode(f *testing.F) {
	f.Add(encodeProps(someColumns))
	f.Add(encodeProps(nil))
	f.Add([]byte{rowFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{rowFormat, 1, 'A', kindString, 0x80})
	f.Add([]byte{rowFormat, 1, 'A', 'x'})
	f.Add([]byte{rowFormat, 1, 'A', kindInt32, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodeProps(data, nil)
		if _, _, bad := mergeColumns(data, encodeProps(nil)); (bad == nil) != (err == nil) {
			t.Fatalf("decoding: %v, merging: %v", err, bad)
		}
		if err != nil {
			return
		}
		again, err := decodeProps(encodeProps(p), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, again, cmpopts.EquateNaNs()); d != "" {
			t.Fatal(d)
		}
	})
}

func TestRevision(t *testing.T) {
	for _, c := range []struct {
		name string
		tag  storage.ETag
		want int64
	}{
		{"ours", etag(12), 12},
		{"another adapter's", `W/"datetime'2026-11-21T10%3A00'"`, -1},
		{"a number written otherwise", `W/"012"`, -1},
		{"no quotes", "12", -1},
		{"a sign", `W/"+12"`, -1},
	} {
		if have := revision(c.tag); have != c.want {
			t.Errorf("%s: have %d, want %d", c.name, have, c.want)
		}
	}
}
