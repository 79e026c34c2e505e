package transfer

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// anyRow draws rows with columns of every type.
func anyRow(t *rapid.T) storage.Entity {
	value := rapid.OneOf(
		rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Int32().AsAny(), rapid.Int64().AsAny(),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).AsAny(),
		rapid.SliceOfN(rapid.Byte(), 0, 50).AsAny(),
	)
	name := rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,8}x`)
	return storage.Entity{
		Key: storage.Key{
			Partition: rapid.StringMatching(`[a-z.é🙂<&]{1,9}`).Draw(t, "partition"),
			Row:       rapid.StringMatching(`[a-z|"]{1,9}`).Draw(t, "row"),
		},
		Props: rapid.MapOfN(name, value, 0, 6).Draw(t, "columns"),
	}
}

// TestRowRoundTrip checks that a row is decoded with its values and their types.
func TestRowRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyRow(t)
		line, err := encodeRow(want)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(line, '\n') {
			t.Fatalf("more than one line: %s", line)
		}
		have, err := decodeRow(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want.Props, have.Props); diff != "" || have.Key != want.Key {
			t.Fatalf("%s (-want +have):\n%s", line, diff)
		}
	})
}

// TestRowDamage checks that every changed byte of a line is detected.
func TestRowDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line, err := encodeRow(anyRow(t))
		if err != nil {
			t.Fatal(err)
		}
		i := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		line[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if e, err := decodeRow(line); !fault.Is(err, fault.Invalid) {
			t.Fatalf("%s: have %v, %v, want Invalid", line, e, err)
		}
	})
}

func TestExtremeValues(t *testing.T) {
	want := storage.Properties{
		"least": int64(math.MinInt64), "most": int64(math.MaxInt64), "i32": int32(math.MinInt32),
		"tiny":  math.SmallestNonzeroFloat64,
		"whole": 1.0, "empty": "", "none": []byte{}, "no": false, "odd": "\x00\x1f\u2028<&>\u0085🙂",
		"long": strings.Repeat("<", storage.MaxStringUnits),
	}
	line, err := encodeRow(storage.Entity{Key: storage.Key{Partition: "p", Row: "r"}, Props: want})
	if err != nil {
		t.Fatal(err)
	}
	have, err := decodeRow(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have.Props); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

func FuzzDecodeRow(f *testing.F) {
	line, _ := encodeRow(storage.Entity{Key: storage.Key{Partition: "p", Row: "r"},
		Props: storage.Properties{"a": int32(1), "b": []byte("x")}})
	f.Add(line)
	for _, s := range []string{"", "{}", "null", `{"partition":"p","row":"r","columns":{"a":{}}}`,
		`{"partition":"a/b","row":"r","columns":null}`, "[[[["} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := decodeRow(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%v is not Invalid", err)
			}
			return
		}
		if again, err := encodeRow(e); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("taken, but written as %s: %v", again, err)
		}
	})
}

func TestTally(t *testing.T) {
	sum := func(lines ...string) (out tally) {
		for _, l := range lines {
			out.add([]byte(l))
		}
		return out
	}
	if sum("a", "b", "c") != sum("c", "a", "b") {
		t.Error("the order matters")
	}
	if sum("a", "a") == sum("b", "b") || sum("a") == sum("b") {
		t.Error("other lines, the same digest")
	}
}
