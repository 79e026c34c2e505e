package entries

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// newOldRig returns a rig with the old rows, and an index with their entries.
func newOldRig(t *testing.T, open opener) *rig {
	t.Helper()
	r, from, done := newRig(t, openOld(open)), registry.Cursor{}, false
	for !done {
		var err error
		_, from, done, err = r.Reindex(t.Context(), from, nil)
		must(t, err)
	}
	return r
}

// rekeyAll calls Rekey until it is done, retries with the same cursor after a failure, and counts.
func (r *rig) rekeyAll(dry bool) (seen, changed int, examples []string) {
	r.Helper()
	cursor := ""
	for range 1000 {
		n, moved, some, next, done, err := r.Rekey(r.Context(), cursor, dry)
		if err != nil {
			if !fault.Is(err, fault.Unavailable) || next != cursor || done {
				r.Fatalf("Rekey: %v, next %q", err, next)
			}
			continue
		}
		seen, changed, examples, cursor = seen+n, changed+moved, append(examples, some...), next
		if done {
			return seen, changed, examples
		}
	}
	r.Fatal("the re-keying does not end")
	return 0, 0, nil
}

// keysOfAll returns the keys of all entries of a schema by their [identity].
func (r *rig) keysOfAll(schema Schema) map[string]entry.Keys {
	r.Helper()
	out := map[string]entry.Keys{}
	for e, err := range r.under.Table(tableOf[schema].entries).Query(r.Context(), storage.Query{}) {
		must(r.T, err)
		if !strings.HasPrefix(e.Row, rowText) {
			continue
		}
		got, err := rowOf(e)
		must(r.T, err)
		k := entry.KeysOf(got.fields)
		k.Primary = strings.Replace(k.Primary, got.fields.Text("id"), "<id>", 1)
		out[identity(got.fields)] = k
	}
	return out
}

// send inserts everything that the old rows were made from, and counts the results.
func (r *rig) send() map[Action]int {
	r.Helper()
	actions := map[Action]int{}
	in, schemas := old(r.T)
	for i, f := range in {
		res, err := r.In(schemas[i]).Insert(r.Context(), f)
		must(r.T, err)
		actions[res.Action]++
	}
	return actions
}

// imported does the same as send, as an import.
func (r *rig) imported() map[Action]int {
	r.Helper()
	var mu sync.Mutex
	actions, items := map[Action]int{}, map[Schema][]Item{}
	in, schemas := old(r.T)
	for i, f := range in {
		items[schemas[i]] = append(items[schemas[i]], Item{Name: fmt.Sprintf("import %d", i), Fields: f})
	}
	for schema, some := range items {
		must(r.T, r.In(schema).InsertEach(r.Context(), some, func(_ int, res Result, err error) error {
			mu.Lock()
			defer mu.Unlock()
			actions[res.Action]++
			return err
		}))
	}
	return actions
}

// rekeyedOld are the new keys of the old rows; "six" and "seven" get the same one.
var rekeyedOld = map[string]entry.Keys{
	"three": keysOf(entry.EmailThread, entry.Digest("aw: re: tide tables"), ""),
	"four":  keysOf(entry.EmailThread, entry.Digest("r: the language 4.4"), ""),
	"five":  keysOf(entry.EmailThread, entry.Digest("lights"), ""),
	"six":   keysOf(entry.EmailThread, "duplicate:<id>", ""),
	"seven": keysOf(entry.EmailThread, entry.Digest("moorings"), ""),
	"eight": keysOf(entry.EmailNewsletter, "", entry.Digest("n@port.example"+"r: weekly"+"2026-03-01")),
	"nine": keysOf(entry.EmailNewsletter, "9@port.example", entry.Digest("n@port.example"+"i: weekly"+
		"2026-03-02")),
	"ten": keysOf(entry.EmailNewsletter, "10@port.example",
		entry.Digest("n@port.example"+"weekly"+"2026-03-03")),
	"ok 2:8":          keysOf(entry.TelegramThought, "tg:2:8", ""),
	"Ships pass. 2:9": keysOf(entry.TelegramThought, "tg:2:9", ""),
	"https://port.example/tides 2:10": keysOf(entry.TelegramLink, "https://port.example/tides",
		entry.Digest("https://port.example/tides")),
}

// TestZ3OldRowsAreRekeyed checks that rows of the earlier code get the keys of spec 001, that no row is lost, and
// that sending everything again adds what the old keys had lost, once (Z3).
func TestZ3OldRowsAreRekeyed(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			r := newOldRig(t, open)
			before := r.dump()
			seen, changed, examples := r.rekeyAll(true)
			if seen != 11 || changed != 8 || len(examples) != 8 || !strings.Contains(strings.Join(examples, "\n"),
				"secondary key") {
				t.Errorf("dry: %d of %d, %q", changed, seen, examples)
			}
			if diff := cmp.Diff(before, r.dump()); diff != "" {
				t.Errorf("a dry run wrote (-before +after):\n%s", diff)
			}
			if seen, changed, _ := r.rekeyAll(false); seen != 11 || changed != 8 {
				t.Errorf("%d of %d", changed, seen)
			}
			r.rows()
			if diff := cmp.Diff(rekeyedOld, r.keysOfAll(Production)); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]entry.Keys{"eleven": keysOf(entry.EmailThread, entry.Digest("wg: lights"), "")},
				r.keysOfAll(Testing)); diff != "" {
				t.Errorf("for tests (-want +have):\n%s", diff)
			}
			if _, changed, _ := r.rekeyAll(false); changed != 0 {
				t.Errorf("again: %d", changed)
			}
			if actions := r.send(); actions[Inserted] != 2 { // "Tide tables", and "ok" in the first chat
				t.Errorf("sent again: %v", actions)
			}
			if actions := r.imported(); actions[Inserted] != 0 || len(r.rows()) != 13 {
				t.Errorf("and imported: %v, %d entries", actions, len(r.rows()))
			}
		})
	}
}

// dump returns all rows of entries.
func (r *rig) dump() map[string]storage.Properties {
	r.Helper()
	rows, err := storagetest.Dump(r.Context(), r.under, Tables()...)
	must(r.T, err)
	return rows
}

// TestZ3InsertsFindOldKeys checks that inserts and updates find entries under old keys before the re-keying, and do
// not overwrite entries that only the old keys took for the same. Input that was normalized earlier counts as if it
// were normalized now (Z3).
func TestZ3InsertsFindOldKeys(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			r := newOldRig(t, open)
			if actions := r.send(); actions[Inserted] != 2 {
				t.Errorf("sent again: %v", actions)
			}
			want := map[string]entry.Keys{"two": keysOf(entry.EmailThread, entry.Digest("tide tables"), ""),
				"ok 1:7": keysOf(entry.TelegramThought, "tg:1:7", "")}
			for text, k := range rekeyedOld {
				want[text] = k
			}
			have := r.keysOfAll(Production)
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if actions := r.send(); actions[Inserted] != 0 || len(r.rows()) != 13 {
				t.Errorf("and again: %v", actions)
			}
			r.rekeyAll(false)
			if diff := cmp.Diff(have, r.keysOfAll(Production)); diff != "" {
				t.Errorf("re-keyed (-before +after):\n%s", diff)
			}
			stale := r.before("AW: Re: Tide tables", "three again")
			if res := r.inserted(stale); res.Action != Updated ||
				entry.KeysOf(res.Entry).Primary != entry.Digest("aw: re: tide tables") ||
				len(r.rows()) != 13 {
				t.Errorf("normalized before: %s %v", res.Action, entry.KeysOf(res.Entry))
			}
		})
	}
}

// before is a mail of a thread as the first revision normalized it.
func (r *rig) before(subject, text string) entry.Fields {
	r.Helper()
	f, err := entry.NormalizeEmail(entry.Email{RawText: text, Subject: subject, From: "a@port.example",
		ContentType: entry.Correspondence})
	must(r.T, err)
	setKeys(f, entry.FirstKeys(f))
	return f
}

// TestZ3RekeyIsBounded checks that a call examines at most two hundred entries, and the next call continues after
// them (Z3).
func TestZ3RekeyIsBounded(t *testing.T) {
	r := newRig(t, openMem)
	const n = 2*rekeyPage + 50
	for i := range n {
		f, err := entry.NormalizeTelegram(entry.Telegram{Text: fmt.Sprint("thought ", i), ChatID: "1",
			MessageID: fmt.Sprint(i)},
			source.DefaultRules())
		must(t, err)
		r.insertFirst(f)
	}
	r.age()
	cursor, done, total, most := "", false, 0, 0
	for !done {
		var seen, changed int
		var examples []string
		var err error
		seen, changed, examples, cursor, done, err = r.Rekey(t.Context(), cursor, false)
		must(t, err)
		total, most = total+changed, max(most, seen)
		if len(examples) > rekeyExamples {
			t.Errorf("%d examples", len(examples))
		}
	}
	if total != n || most != rekeyPage {
		t.Errorf("%d of %d, %d at once", total, n, most)
	}
	for _, f := range r.rows() {
		if entry.KeysOf(f).Secondary != "" {
			t.Fatalf("keys %+v", entry.KeysOf(f))
		}
	}
}
