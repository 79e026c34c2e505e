package field_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// noise is a text that cannot be compressed below its letters.
func noise(r *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('!' + r.IntN(94))
	}
	return string(text)
}

// TestG2RowsOfFieldsAreBounded checks that what is kept of as many fields as an item may have, with the longest values,
// fits its column, and that fields beyond are not kept: those that nobody asks for first (G2).
func TestG2RowsOfFieldsAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 3))
	keys := map[string]string{}
	var k field.Known
	for n := range 4 {
		var all []field.Result
		for i := range field.MaxFields + 10 {
			name := fmt.Sprintf("%02d%s", i, noise(rand.New(rand.NewPCG(1, uint64(i))), 100))
			v := field.Value{Type: field.Text, Text: noise(r, field.MaxText), Shown: noise(r, field.MaxExcerpt)}
			if i >= 15 {
				keys[name] = noise(r, 16)[:16]
				if n > 0 {
					kept, _ := k.Field(name)
					keys[name] = kept.Key
				}
			}
			all = append(all, field.Result{Name: name, State: field.Found, Value: v, Evidence: field.Evidence{
				Source: field.JSONPath, At: noise(r, field.MaxExcerpt), Excerpt: v.Shown, Reason: noise(r, 100)}})
		}
		k, _, _ = k.See(field.Reading{Results: all, Keys: keys, At: day(n), Capture: noise(r, 64)})
	}
	asked := 0
	for _, kept := range k.All {
		if kept.Key != "" {
			asked++
		}
	}
	if len(k.All) != field.MaxFields || asked != 25 {
		t.Errorf("%d fields are kept, %d of them asked for; want %d and 25", len(k.All), asked, field.MaxFields)
	}
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	var row bytes.Buffer
	w := gzip.NewWriter(&row)
	_, _ = w.Write(text)
	_ = w.Close()
	const most = 48 << 10
	if row.Len() > most {
		t.Errorf("%d bytes are %d in a row, want at most %d", len(text), row.Len(), most)
	}
	t.Logf("%d bytes, %d in a row", len(text), row.Len())
}

// TestG3WhichFieldsBreak checks which fields are broken when their source is gone, and that one that cannot be read is
// not (G3).
func TestG3WhichFieldsBreak(t *testing.T) {
	all := []string{field.Price, field.SalePrice, field.Stock, field.Author, "mine"}
	read := func(state field.State) (out []field.Result) {
		for _, name := range all {
			res := field.Result{Name: name, State: state, Evidence: field.Evidence{Reason: "no element"}}
			if state == field.Found {
				res.Value = euros("5")
			}
			out = append(out, res)
		}
		return out
	}
	k, _, _ := field.Known{}.See(field.Reading{Results: read(field.Found), Keys: asks("mine"), At: day(0)})
	for state, want := range map[field.State]string{field.Found: "", field.Unread: "", field.Disappeared: "",
		field.Gone: "mine price"} {
		now, _, _ := k.See(field.Reading{Results: read(state), Keys: asks("mine"), At: day(1)})
		var broken []string
		for _, kept := range now.All {
			if why := kept.Broken(); why != "" {
				broken = append(broken, kept.Name)
				if !strings.Contains(why, kept.Name) || !strings.Contains(why, "no element") {
					t.Errorf("%q does not say which and why", why)
				}
			}
		}
		if have := strings.Join(broken, " "); have != want || (now.Broken() == "") != (want == "") {
			t.Errorf("%s: %q (%s) are broken, want %q", state, have, now.Broken(), want)
		}
	}
}

// TestG2PresentValues checks that the present values are those of a first check, with what was seen before (G2).
func TestG2PresentValues(t *testing.T) {
	var k field.Known
	for n, price := range []field.Decimal{"79", "84"} {
		k, _, _ = k.See(field.Reading{Results: []field.Result{found(field.Price, euros(price))}, At: day(n)})
	}
	got := k.Present("rule_1")
	if len(got) != 1 || !got[0].First || got[0].Rule != "rule_1" || got[0].Now.Seen.Previous.Number != "79" {
		t.Errorf("present: %+v", got)
	}
	k, _, _ = k.See(field.Reading{Unread: "cut", At: day(2)})
	if got := k.Present("rule_1"); len(got) != 0 {
		t.Errorf("nothing is known: %+v", got)
	}
}

// FuzzSee checks that any checks of any fields keep the bounds, number the entries of each history in order, and come
// back from a row as they were.
func FuzzSee(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x14\x25\x36\x47\x58\x69\x7a\x8b\x9c\xad\xbe\xcf"))
	f.Add([]byte{0x50, 0x90, 0xd0, 0x10, 0x50, 0x51, 0x52, 0x53})
	f.Fuzz(func(t *testing.T, data []byte) {
		var k field.Known
		numbers := map[string]int{}
		for n := 0; n < len(data) && n < 200; n++ {
			k = fuzzedCheck(t, k, data[n:min(len(data), n+4)], n, numbers)
		}
	})
}

// fuzzedCheck makes a check of up to four fields, each a byte: two bits for the name, and the rest for what is read.
func fuzzedCheck(t *testing.T, k field.Known, data []byte, n int, numbers map[string]int) field.Known {
	states := []field.State{field.Found, field.Found, field.Disappeared, field.Unread, field.Gone}
	r := field.Reading{Keys: map[string]string{}, At: day(n), Baseline: data[0]%7 == 0}
	for _, b := range data {
		name := []string{field.Price, field.SalePrice, "a", "b"}[b&3]
		res := field.Result{Name: name, State: states[int(b>>2)%len(states)]}
		if res.State == field.Found {
			res.Value = euros(field.Decimal(fmt.Sprint(b >> 4)))
		}
		r.Results = append(r.Results, res)
		if b&128 != 0 {
			r.Keys[name] = fmt.Sprint(b >> 6)
		}
	}
	if data[0]%11 == 0 {
		r.Unread, r.Results = "cut", nil
	}
	if data[0]%13 == 0 {
		next, _ := k.Stands()
		return stored(t, next)
	}
	next, changes, entries := k.See(r)
	for _, e := range entries {
		if e.Number != numbers[e.Name]+1 || e.At.IsZero() {
			t.Fatalf("entry %+v follows number %d", e, numbers[e.Name])
		}
		if kept, ok := k.Field(e.Name); !ok || e.Number != kept.Entries {
			t.Fatalf("entry %+v, kept %+v", e, kept)
		}
		numbers[e.Name] = e.Number
	}
	for _, c := range stored(t, changes) {
		if _, ok := next.Field(c.Name); !ok || c.Text(day(n)) == "" || c.Same && !c.Now.Value.Equal(c.Then.Value) {
			t.Fatalf("change %+v", c)
		}
	}
	return stored(t, next)
}

// TestG2HistoriesLoseNothing checks that a value goes to the history when nothing is known of the field any more, or
// nobody asks for it, and that no entry of nothing follows (G2).
func TestG2HistoriesLoseNothing(t *testing.T) {
	unread := field.Result{Name: "it", State: field.Unread, Evidence: field.Evidence{Reason: "two numbers"}}
	var k field.Known
	for n, tc := range []struct {
		read field.Result
		key  string
		why  string // it is not there
		want string // the entries
	}{
		{found("it", euros("79")), "1", "", ""}, {unread, "1", "two numbers", ""}, {found("it", euros("79")), "1", "", ""},
		{unread, "2", "two numbers", "1: 79 EUR"}, {unread, "2", "two numbers", ""}, {found("it", euros("84")), "2", "", ""},
		{found("it", euros("85")), "2", "", "2: 84 EUR"}, {unread, "", "", "3: 85 EUR"},
		{found("it", euros("90")), "3", "", ""}, {found("it", euros("91")), "3", "", "4: 90 EUR"},
	} {
		keys := map[string]string{}
		if tc.key != "" {
			keys["it"] = tc.key
		}
		next, _, entries := k.See(field.Reading{Results: []field.Result{tc.read}, Keys: keys, At: day(n)})
		var have []string
		for _, e := range entries {
			have = append(have, fmt.Sprintf("%d: %s", e.Number, e.Value))
		}
		if kept, _ := next.Field("it"); strings.Join(have, ", ") != tc.want || kept.Why != tc.why && tc.key != "" {
			t.Errorf("check %d: entries %v, want %q; why %q, want %q", n, have, tc.want, kept.Why, tc.why)
		}
		k = next
	}
}
