package field_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

// day is the time of a check.
func day(n int) time.Time { return start.AddDate(0, 0, n) }

// found is what a check reads of a field; disappeared if there is no value.
func found(name string, v field.Value) field.Result {
	if v.None() {
		return field.Result{Name: name, State: field.Disappeared}
	}
	return field.Result{Name: name, State: field.Found, Value: v}
}

// asks are the keys of fields that somebody asks for.
func asks(names ...string) map[string]string {
	keys := map[string]string{}
	for _, name := range names {
		keys[name] = "1"
	}
	return keys
}

// stored is what comes back from a row.
func stored[T any](t rapid.TB, v T) (out T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, out); diff != "" {
		t.Fatalf("a row changes it: %s", diff)
	}
	return out
}

// TestG2WhatWasSeen checks over random checks of a field that the values that were seen before each are those of the
// list of all values, that a change has what this check and the one before saw, and that the history has each value
// once (G2).
func TestG2WhatWasSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k field.Known
		var values []field.Point // one for each check that saw a value
		var history, got []field.Entry
		var last *field.Moment // what the last check saw that saw something
		for n := range rapid.IntRange(1, 20).Draw(t, "checks") {
			r := field.Reading{Keys: asks("it"), At: day(n), Capture: fmt.Sprint(n)}
			drawn := rapid.IntRange(0, 7).Draw(t, "value")
			res := found("it", field.Value{})
			switch {
			case drawn < 2:
				res.State = []field.State{field.Unread, field.Gone}[drawn]
				res.Evidence.Reason = "no value"
			case drawn > 2:
				res = found("it", euros(field.Decimal(fmt.Sprint(drawn))))
			}
			r.Results = []field.Result{res}
			var changes []field.Change
			var entries []field.Entry
			k, changes, entries = stored(t, k).See(r)
			got = append(got, entries...)
			if drawn < 2 {
				if len(changes) > 0 {
					t.Fatalf("check %d read nothing: %+v", n, changes)
				}
				continue
			}
			now := field.Moment{Value: res.Value, Seen: seenIn(values)}
			checkChange(t, stored(t, changes), last, now)
			if last == nil || !last.Value.Equal(res.Value) {
				history = append(history, field.Entry{Number: len(history) + 1, At: r.At, Value: res.Value})
			}
			if last = &now; !res.Value.None() {
				values = append(values, field.Point{Value: res.Value, At: history[len(history)-1].At})
			}
		}
		if kept, ok := k.Field("it"); ok && kept.Entry().Number > 0 {
			got = append(got, kept.Entry())
		}
		same := func(a, b field.Entry) bool {
			return a.Number == b.Number && a.At.Equal(b.At) && a.Value.Equal(b.Value) && a.Evidence.Reason == ""
		}
		if !slices.EqualFunc(got, history, same) {
			t.Fatalf("history %+v, want %+v", got, history)
		}
	})
}

// seenIn works out from all values which of them a condition is compared with.
func seenIn(values []field.Point) (s field.Seen) {
	for i, p := range values {
		if i == 0 {
			s.First, s.Lowest, s.Highest = p, p, p
		}
		if s.Previous = p.Value; p.Value.Number.Compare(s.Lowest.Value.Number) < 0 {
			s.Lowest = p
		}
		if p.Value.Number.Compare(s.Highest.Value.Number) > 0 {
			s.Highest = p
		}
	}
	return s
}

// checkChange checks the change of a check that saw a field. There is none if neither the value nor what was seen
// before it is other than at the last check.
func checkChange(t *rapid.T, changes []field.Change, last *field.Moment, now field.Moment) {
	t.Helper()
	if last != nil && cmp.Equal(*last, now) {
		if len(changes) > 0 && !changes[0].Same {
			t.Fatalf("nothing has changed: %+v", changes)
		}
		return
	}
	want := field.Change{Name: "it", State: field.Found, Now: now, First: last == nil, Reported: true}
	if now.Value.None() {
		want.State = field.Disappeared
	}
	if last != nil {
		want.Then, want.Same = *last, last.Value.Equal(now.Value)
	}
	if diff := cmp.Diff([]field.Change{want}, changes); diff != "" {
		t.Fatal(diff)
	}
}

// step is one check of a price, and what it tells.
type step struct {
	r    field.Reading
	want string // the change; "" for none
}

// TestG2WhatIsNoNews checks what is not told as a change: the first reading of a page, also if an earlier one failed,
// and that of a field that is defined in another way (G2).
func TestG2WhatIsNoNews(t *testing.T) {
	price := func(n field.Decimal) []field.Result { return []field.Result{found(field.Price, euros(n))} }
	none := []field.Result{found(field.Price, field.Value{})}
	unread := []field.Result{{Name: field.Price, State: field.Unread, Evidence: field.Evidence{Reason: "two numbers"}}}
	read := func(all []field.Result, want string) step { return step{field.Reading{Results: all}, want} }
	asked := func(key string, all []field.Result, want string) step {
		return step{field.Reading{Results: all, Keys: map[string]string{field.Price: key}}, want}
	}
	cut := step{field.Reading{Unread: "cut"}, ""}
	first := read(price("79"), "first 79 EUR")
	for name, steps := range map[string][]step{
		"the first value":             {first},
		"a price that comes later":    {read(nil, ""), read(price("79"), "→ 79 EUR")},
		"nothing at first":            {read(none, ""), read(price("79"), "→ 79 EUR")},
		"nothing asked for at first":  {asked("1", none, "first none")},
		"a page that cannot be read":  {cut, first},
		"a price that cannot be read": {read(unread, ""), first},
		"the same after a failed read": {first, cut, read(price("79"), "same 79 EUR (lowest 79 on 1 Jan)"),
			read(price("79"), "")},
		"another after a failed read": {first, read(unread, ""), read(price("84"), "79 → 84 EUR (lowest 79 on 1 Jan)")},
		"a baseline": {first, {field.Reading{Results: price("84"), Baseline: true}, ""},
			read(price("85"), "84 → 85 EUR (lowest 79 on 1 Jan)")},
		"asked for":         {first, asked("1", price("84"), "first 84 EUR")},
		"defined anew":      {asked("1", price("79"), "first 79 EUR"), asked("2", price("84"), "first 84 EUR")},
		"asked for no more": {asked("1", price("79"), "first 79 EUR"), read(price("84"), "first 84 EUR")},
		"defined anew while it cannot be read": {asked("1", price("79"), "first 79 EUR"), asked("2", unread, ""),
			asked("2", price("84"), "first 84 EUR"), asked("2", price("85"), "84 → 85 EUR (lowest 84 on 3 Jan)")},
	} {
		var k field.Known
		for n, s := range steps {
			s.r.At = day(n)
			var changes []field.Change
			k, changes, _ = stored(t, k).See(s.r)
			have := ""
			for _, c := range changes {
				have = c.Text(day(n))
				if c.First {
					have = "first " + have
				} else if c.Same {
					have = "same " + have
				}
			}
			if have != s.want {
				t.Errorf("%s, check %d: have %q, want %q", name, n, have, s.want)
			}
		}
	}
}

// TestG3UnreadData checks that a field which was declared in JSON-LD has not disappeared while some of the page's
// JSON-LD cannot be read, and that one whose source is gone says so (G3).
func TestG3UnreadData(t *testing.T) {
	data := jsonld.Unread{Blocks: 1, Why: "it ends too early", Excerpt: `{"offers"`}
	price := field.Value{Type: field.Money, Number: "79", Currency: "EUR"}
	for _, tc := range []struct {
		name     string
		was, now field.Source // of the declaration
		state    field.State
		data     jsonld.Unread
		want     field.State
		why      bool
	}{
		{"gone", field.JSONLD, "", field.Gone, data, field.Gone, true},
		{"gone from a page that is read", field.JSONLD, "", field.Gone, jsonld.Unread{}, field.Gone, false},
		{"a selector", field.CSS, field.CSS, field.Gone, data, field.Gone, false},
		{"not in another source", field.JSONLD, field.Microdata, field.Disappeared, data, field.Unread, true},
		{"not in the same source", field.JSONLD, field.JSONLD, field.Disappeared, data, field.Disappeared, false},
		{"a page that is read", field.JSONLD, field.Microdata, field.Disappeared, jsonld.Unread{}, field.Disappeared, false},
		{"a value", field.JSONLD, field.Microdata, field.Found, data, field.Found, false},
	} {
		known, _, _ := field.Known{}.See(field.Reading{At: day(1), Results: []field.Result{
			{Name: "price", State: field.Found, Value: price, Evidence: field.Evidence{Source: tc.was}}}})
		r := field.Result{Name: "price", State: tc.state, Evidence: field.Evidence{Source: tc.now}}
		if tc.state == field.Found {
			r.Value = price
		}
		known, changes, _ := known.See(field.Reading{At: day(2), UnreadData: tc.data, Results: []field.Result{r}})
		have, _ := known.Field("price")
		if have.State != tc.want || strings.Contains(have.Why, data.Why) != tc.why || known.UnreadData != tc.data {
			t.Errorf("%s: have %s, %q", tc.name, have.State, have.Why)
		}
		told := slices.ContainsFunc(changes, func(c field.Change) bool { return !c.Same })
		if told != (tc.want == field.Disappeared) {
			t.Errorf("%s: changes %+v", tc.name, changes)
		}
	}
}
