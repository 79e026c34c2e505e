package storagetest

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func (s suite) limits(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"entities at each bound":     s.largest,
		"entities over each bound":   s.tooLarge,
		"transactions that are none": s.badTransactions,
		"names":                      s.names,
	})
}

// largest writes the largest values that are allowed, alone and in a batch, and reads them back.
func (s suite) largest(t *testing.T) {
	ctx, table := s.table(t)
	wide := props{}
	for i := range storage.MaxProperties {
		wide[fmt.Sprintf("P%03d", i)] = int32(i)
	}
	full := props{}
	for i := range 15 {
		full[fmt.Sprintf("P%02d", i)] = strings.Repeat("x", storage.MaxStringUnits)
	}
	unicode := props{}
	for i := range 5 {
		unicode[fmt.Sprintf("P%02d", i)] = strings.Repeat("x", i) + strings.Repeat("é漢🙂", storage.MaxStringUnits/4-2)
	}
	for name, e := range map[string]storage.Entity{
		"key of 512 units":       ent(strings.Repeat("p", 512), strings.Repeat("é", 512), props{}),
		"key of 256 pairs":       ent(strings.Repeat("🙂", 256), "r", props{}),
		"string of 32 Ki units":  ent("p", "string", props{"S": strings.Repeat("é", storage.MaxStringUnits)}),
		"string of 16 Ki pairs":  ent("p", "pairs", props{"S": strings.Repeat("🙂", storage.MaxStringUnits/2)}),
		"binary of 64 KiB":       ent("p", "binary", props{"B": bytes.Repeat([]byte{0xff}, storage.MaxBinaryBytes)}),
		"as many columns":        ent("p", "wide", wide),
		"name of 255 bytes":      ent("p", "name", props{strings.Repeat("N", 255): "x"}),
		"almost 1 MiB of string": ent("p", "full", full),
		"text across many reads": ent("p", "unicode", unicode),
	} {
		tags, err := table.Transact(ctx, op(storage.Insert, e))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := table.Get(ctx, e.Key)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		diff(t, name, e.Props, got.Props)
		_, err = table.Transact(ctx, at(op(storage.Replace, e), tags[0]), op(storage.Upsert, ent(e.Partition, "next", nil)))
		if err != nil {
			t.Errorf("%s in a batch: %v", name, err)
		}
	}
}

func (s suite) tooLarge(t *testing.T) {
	ctx, table := s.table(t)
	wide := props{}
	for i := range storage.MaxProperties + 1 {
		wide[fmt.Sprintf("P%03d", i)] = int32(i)
	}
	full := props{}
	for i := range 16 {
		full[fmt.Sprintf("P%02d", i)] = strings.Repeat("x", storage.MaxStringUnits)
	}
	wordy := props{}
	for i := range 6 {
		wordy[fmt.Sprintf("P%02d", i)] = strings.Repeat("é", storage.MaxStringUnits)
	}
	for name, e := range map[string]storage.Entity{
		"empty partition key":     ent("", "r", nil),
		"empty row key":           ent("p", "", nil),
		"key of 513 units":        ent("p", strings.Repeat("x", 513), nil),
		"key of 257 pairs":        ent("p", strings.Repeat("🙂", 257), nil),
		"slash":                   ent("a/b", "r", nil),
		"backslash":               ent("p", `a\b`, nil),
		"hash":                    ent("p", "a#b", nil),
		"question mark":           ent("p", "a?b", nil),
		"tab":                     ent("p", "a\tb", nil),
		"NUL":                     ent("p", "a\x00b", nil),
		"DEL":                     ent("p", "a\x7fb", nil),
		"U+0085":                  ent("p", "a\u0085b", nil),
		"key that is no UTF-8":    ent("p", "a\xffb", nil),
		"string over 32 Ki units": ent("p", "r", props{"S": strings.Repeat("é", storage.MaxStringUnits+1)}),
		"string that is no UTF-8": ent("p", "r", props{"S": "\xff"}),
		"binary over 64 KiB":      ent("p", "r", props{"B": make([]byte, storage.MaxBinaryBytes+1)}),
		"one column too many":     ent("p", "r", wide),
		"over 1 MiB":              ent("p", "r", full),
		"over 1 MiB as JSON":      ent("p", "r", wordy),
		"name of 256 bytes":       ent("p", "r", props{strings.Repeat("N", 256): "x"}),
		"name with a hyphen":      ent("p", "r", props{"a-b": "x"}),
		"name with a digit first": ent("p", "r", props{"1a": "x"}),
		"empty name":              ent("p", "r", props{"": "x"}),
		"annotation":              ent("p", "r", props{"A@odata.type": "Edm.Int64"}),
		"PartitionKey":            ent("p", "r", props{"PartitionKey": "x"}),
		"Timestamp":               ent("p", "r", props{"Timestamp": "x"}),
		"token":                   ent("p", "r", props{storage.TokenProperty: "x"}),
		"int":                     ent("p", "r", props{"A": 1}),
		"float32":                 ent("p", "r", props{"A": float32(1)}),
		"nil":                     ent("p", "r", props{"A": nil}),
		"NaN":                     ent("p", "r", props{"A": math.NaN()}),
		"infinity":                ent("p", "r", props{"A": math.Inf(-1)}),
	} {
		_, err := table.Transact(ctx, op(storage.Upsert, e))
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: have %v, want Invalid", name, err)
		}
	}
	_, err := table.Get(ctx, storage.Key{Partition: "a/b", Row: "r"})
	wantKind(t, err, fault.Invalid)
}

func (s suite) badTransactions(t *testing.T) {
	ctx, table := s.table(t)
	many := make([]storage.Op, storage.MaxOps+1)
	large := make([]storage.Op, 9)
	half := props{}
	for i := range 15 {
		half[fmt.Sprintf("P%02d", i)] = strings.Repeat("x", storage.MaxStringUnits)
	}
	for i := range many {
		many[i] = insert("p", fmt.Sprint(i), nil)
	}
	for i := range large {
		large[i] = insert("p", fmt.Sprint(i), half)
	}
	if err := table.Create(ctx); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ops   []storage.Op
		blame int // index of the op in the error; -1 if the error concerns no single op
	}{
		"no ops":         {nil, -1},
		"101 ops":        {many, -1},
		"over 4 MiB":     {large, -1},
		"two partitions": {[]storage.Op{insert("p", "1", nil), insert("q", "2", nil)}, 1},
		"one row twice": {[]storage.Op{insert("p", "1", nil), insert("p", "2", nil),
			op(storage.Upsert, ent("p", "1", nil))}, 2},
		"replace without revision": {[]storage.Op{insert("p", "1", nil), op(storage.Replace, ent("p", "2", nil))}, 1},
		"merge without revision":   {[]storage.Op{op(storage.Merge, ent("p", "2", nil))}, 0},
		"delete without revision":  {[]storage.Op{op(storage.Delete, ent("p", "2", nil))}, 0},
		"revision of two lines":    {[]storage.Op{at(op(storage.Delete, ent("p", "2", nil)), "a\r\nX: y")}, 0},
		"no such kind":             {[]storage.Op{op(99, ent("p", "2", nil))}, 0},
	} {
		_, err := table.Transact(ctx, c.ops...)
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: have %v, want Invalid", name, err)
			continue
		}
		if c.blame >= 0 {
			wantOp(t, err, c.blame)
		}
	}
	diff(t, "rows written", []string(nil), keysOf(ctx, t, table, storage.Query{}))
}

func (s suite) names(t *testing.T) {
	ctx, st := t.Context(), s.open(t)
	for _, name := range []string{"", "ab", "1abc", "a-b", "a_b", "tables", "Tables", strings.Repeat("a", 64), "tablé"} {
		wantKind(t, st.Table(name).Create(ctx), fault.Invalid)
	}
	for _, name := range []string{"", "ab", "Abc", "a--b", "-abc", "abc-", "a_b", strings.Repeat("a", 64), "é-é"} {
		wantKind(t, st.Queue(name).Create(ctx), fault.Invalid)
		wantKind(t, st.Container(name).Create(ctx), fault.Invalid)
	}
	lower, upper := unique("t"), ""
	upper = strings.ToUpper(lower)
	if err := st.Table(lower).Create(ctx); err != nil {
		t.Fatal(err)
	}
	write(ctx, t, st.Table(lower), insert("p", "r", nil))
	if _, err := st.Table(upper).Get(ctx, storage.Key{Partition: "p", Row: "r"}); err != nil {
		t.Fatalf("table names differ in case only, and yet: %v", err)
	}
	for _, name := range []string{strings.Repeat("q", 63), "0-9", unique("q-")} {
		if err := st.Queue(name).Create(ctx); err != nil {
			t.Errorf("queue %s: %v", name, err)
		}
		if err := st.Container(name).Create(ctx); err != nil {
			t.Errorf("container %s: %v", name, err)
		}
	}
}
