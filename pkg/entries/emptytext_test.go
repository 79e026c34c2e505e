package entries

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"pgregory.net/rapid"
)

// dependent are the columns that change together.
var dependent = []string{"clean_text", "extracted_text", "retrieval_excerpt", "clean_char_count",
	"extracted_char_count", "clean_word_count", "link_count", "clean_vs_extracted_ratio", "link_ratio", "quality_score",
	"boilerplate_heavy", "low_signal", "extraction_incomplete"}

// ofText returns the text of an entry and all that depends on it.
func ofText(f entry.Fields) entry.Fields {
	out := entry.Fields{}
	for _, name := range dependent {
		if v, ok := f[name]; ok {
			out[name] = v
		}
	}
	if meta, _ := f["metadata"].(map[string]any); meta["retrieval"] != nil {
		out["metadata"] = meta["retrieval"]
	}
	return out
}

func mailOf(t *testing.T, date, header, body string) entry.Fields {
	t.Helper()
	f, err := entry.NormalizeEmail(entry.Email{RawText: "From: a@port.example\nSubject: erase\nDate: " + date + "\n" +
		header + "\n" + body, ContentType: entry.Correspondence})
	must(t, err)
	return f
}

const (
	monday    = "Mon, 5 Jan 2026 10:00:00 +0000"
	wednesday = "Wed, 7 Jan 2026 10:00:00 +0000"
	barnacles = "Quayside barnacles are removed on Monday."
)

// TestY1EmptyNeverOverwrites checks that an insert without text leaves the text of its entry, with the excerpt, the
// counts and the quality, and that the rest of the insert is stored (Y1).
func TestY1EmptyNeverOverwrites(t *testing.T) {
	r := newRig(t, openMem)
	one := r.inserted(mailOf(t, monday, "", barnacles)).Entry
	smime := mailOf(t, wednesday, "Content-Type: application/pkcs7-mime; name=smime.p7m\n", "MIIB")
	for name, more := range map[string]entry.Fields{
		"as normalized":     {},
		"null":              {"clean_text": nil},
		"blank":             {"clean_text": " \n\u200b"},
		"an empty extract":  {"extracted_text": "", "clean_text": nil},
		"an extract only":   {"extracted_text": "\u200b\n", "clean_text": ""},
		"counts of nothing": {"clean_char_count": int64(0), "quality_score": 0.0, "low_signal": true},
		"an excerpt of nothing": {"retrieval_excerpt": "x",
			"metadata": map[string]any{"retrieval": map[string]any{"a": "b"}}},
	} {
		in := entry.Overlay(smime, more, nil)
		for column, value := range more { // Overlay leaves empty values out
			if column != "metadata" {
				in[column] = value
			}
		}
		in["author"] = name
		res := r.inserted(in)
		if diff := cmp.Diff(asJSON(t, ofText(one)), asJSON(t, ofText(res.Entry))); diff != "" || res.Action != Updated {
			t.Errorf("%s: %s (-first +now):\n%s", name, res.Action, diff)
		}
		if res.Entry.Text("author") != name {
			t.Errorf("%s: the author is %q", name, res.Entry.Text("author"))
		}
	}
	absent := keyed(entry.EmailThread, one.Text("idempotency_key_primary"), "",
		entry.Fields{"source": "email", "title": "t"})
	if res := r.inserted(absent); res.Entry.Text("title") != "t" ||
		asJSON(t, ofText(one)) != asJSON(t, ofText(res.Entry)) {
		t.Errorf("without a text: %v", res.Entry)
	}
	if text := r.rows()[0].Text("clean_text"); text != barnacles {
		t.Errorf("stored: %q", text)
	}
}

// TestY1NewEntryWithoutText checks that a new entry without text has no excerpt, counts or quality, and that a later
// text is stored (Y1).
func TestY1NewEntryWithoutText(t *testing.T) {
	r := newRig(t, openMem)
	in := keyed(entry.TelegramThought, "a", "", entry.Fields{"clean_text": "", "extracted_text": "raw",
		"retrieval_excerpt": "x", "quality_score": 0.5, "metadata": map[string]any{"retrieval": map[string]any{"a": "b"},
			"b": "c"}})
	res := r.inserted(in)
	if diff := cmp.Diff(entry.Fields{"extracted_text": "raw"}, ofText(res.Entry)); diff != "" ||
		asJSON(t, res.Entry["metadata"]) != `{"b":"c"}` {
		t.Errorf("%v\n%s", res.Entry, diff)
	}
	in["clean_text"] = "now"
	if res = r.inserted(in); res.Entry.Text("clean_text") != "now" || res.Entry["quality_score"] != 0.5 {
		t.Errorf("%v", res.Entry)
	}
}

// TestY1ImportKeepsTheNewestText checks that an import keeps the newest mail that has a text, in every order (Y1).
func TestY1ImportKeepsTheNewestText(t *testing.T) {
	mails := []entry.Fields{
		mailOf(t, monday, "", "of Monday"),
		mailOf(t, "Tue, 6 Jan 2026 10:00:00 +0000", "", "of Tuesday"),
		mailOf(t, wednesday, "", "\n \n"),
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		r := newRig(t, openMem)
		for _, i := range order {
			_, err := r.In(Production).insertNamed(t.Context(), string(rune('a'+i)), mails[i])
			must(t, err)
		}
		rows := r.rows()
		if len(rows) != 1 || rows[0].Text("clean_text") != "of Tuesday" {
			t.Errorf("%v: %v", order, rows)
		}
	}
}

// TestY1UpdateClears checks that an update with an empty text clears all that depends on the text, and that a page
// without text is not inserted (Y1).
func TestY1UpdateClears(t *testing.T) {
	for name, in := range map[string]entry.Fields{
		"clean":   {"clean_text": ""},
		"null":    {"clean_text": nil, "retrieval_excerpt": "contradicts"},
		"extract": {"extracted_text": ""},
	} {
		r := newRig(t, openMem)
		in["id"] = r.inserted(mailOf(t, monday, "", barnacles)).Entry.Text("id")
		res, err := r.In(Production).Update(t.Context(), in)
		must(t, err)
		if left := ofText(res.Entry); len(left) > 0 || res.Entry.Text("title") != "erase" {
			t.Errorf("%s: %v", name, left)
		}
		r.rows()
	}
	r := newRig(t, openMem)
	text := "Share"
	f, err := entry.NormalizeWebpage(entry.Webpage{Text: &text, URL: "https://port.example/a"}, source.DefaultRules())
	must(t, err)
	if res := r.inserted(f); res.Action != Skipped || res.Entry != nil || len(r.rows()) > 0 {
		t.Errorf("%v", res)
	}
}

// TestY1RowsAgree checks with random writes that an entry never has an excerpt or counts without its text, and that
// no insert takes a text away (Y1).
func TestY1RowsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, openMem)
		texts := rapid.SampledFrom([]string{"", " ", "one text", "another text of more words than the one before"})
		var had string
		for n := range rapid.IntRange(1, 6).Draw(rt, "n") {
			in := mailOf(t, monday, "", texts.Draw(rt, "text")+"\n")
			in["metadata"].(map[string]any)["n"] = n
			var now entry.Fields
			if n > 0 && rapid.Bool().Draw(rt, "update") {
				id := r.inserted(keyed(entry.EmailThread, in.Text("idempotency_key_primary"), "",
					entry.Fields{"source": "email"})).Entry.Text("id")
				delete(in, "retrieval_update_skipped")
				in["id"], had = id, ""
				res, err := r.In(Production).Update(t.Context(), in)
				must(t, err)
				now = res.Entry
			} else {
				now = r.inserted(in).Entry
			}
			text := now.Text("clean_text")
			if text == "" && (had != "" || len(ofText(now)) > 0) || text != "" && now["retrieval_excerpt"] != text {
				rt.Fatalf("after %q: %v", had, ofText(now))
			}
			had = text
			r.now = r.now.Add(time.Second)
		}
	})
}

// insertNamed is like [Session.Insert], for a caller that may die before it knows the result, and that then repeats the
// call under the same name. No other caller may use that name. The id of a new entry is derived from the name, so an
// entry that an earlier call stored is recognized. In that case the action is Inserted again, with the entry's
// current state. If the entry is a mail and would update an entry with a newer mail, nothing is written; see
// [entry.Fields.OutdoneBy].
func (s *Session) insertNamed(ctx context.Context, name string, in entry.Fields) (Result, error) {
	return s.insertAs(ctx, namedToken(name), in, false)
}
