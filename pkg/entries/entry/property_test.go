package entry

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestD2SubjectBaseProperties checks that the base of a base is itself, and that prefixes, tags, case and spaces
// around a subject do not change it (D2).
func TestD2SubjectBaseProperties(t *testing.T) {
	prefix := rapid.SampledFrom([]string{"Re: ", "RE:", "Fwd: ", "FW:  ", "[List] ", "[Pilots]", longTag, "  "})
	rapid.Check(t, func(t *rapid.T) {
		subject := rapid.String().Draw(t, "subject")
		base := subjectBase(subject)
		if again := subjectBase(base); again != base {
			t.Fatalf("%q: base %q, and of that %q", subject, base, again)
		}
		word := rapid.StringMatching(`[a-z]{12,20}( [a-z0-9\[\]:]{1,8}){0,4}[a-z]`).Draw(t, "words")
		nested := strings.Join(rapid.SliceOfN(prefix, 0, 6).Draw(t, "prefixes"), "") + word
		if have := subjectBase(nested); have != word {
			t.Fatalf("%q: base %q", nested, have)
		}
	})
}

// TestD1CleanProperties checks that cleaning a clean text changes nothing, and that no word is lost (D1).
func TestD1CleanProperties(t *testing.T) {
	// Invisible characters between letters and their accents are rare in any text, so they have a generator.
	accents := rapid.StringOf(rapid.SampledFrom([]rune("aE \n\r\x02\u200b\u0323\u0301\u00e9")))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), accents).Draw(t, "text")
		for name, by := range map[string]func(string) string{"clean": clean, "cleanPage": cleanPage} {
			once := by(text)
			if diff := cmp.Diff(once, by(once)); diff != "" {
				t.Fatalf("%s of %q is not clean:\n%s", name, text, diff)
			}
		}
		plain := rapid.StringMatching(`([a-zé]{1,9}[ \t\r\n]{0,4}){0,30}`).Draw(t, "words")
		if have, want := strings.Fields(clean(plain)), strings.Fields(plain); !cmp.Equal(have, want) {
			t.Fatalf("%q became %q", want, have)
		}
	})
}

// sound checks the promises of every normalization: the result can be stored and sent back, has an identity of its
// own unless it is a page, and is the same the next time.
func sound(t *testing.T, f, again Fields, err error, page bool) {
	t.Helper()
	if err != nil {
		if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) == "" {
			t.Fatalf("an error that blames no field: %v", err)
		}
		return
	}
	if diff := cmp.Diff(f, again); diff != "" {
		t.Fatalf("not the same again:\n%s", diff)
	}
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	back, err := Decode(raw)
	if err != nil || KeysOf(back) != KeysOf(f) || back.Text("clean_text") != f.Text("clean_text") {
		t.Fatalf("it does not come back: %v", err)
	}
	if k := KeysOf(f); !page && (k.Policy == "" || k.Primary+k.Secondary == "") {
		t.Fatalf("keys %+v", k)
	}
	if e := f.Text("retrieval_excerpt"); len(e) > excerptBytes || !utf8.ValidString(e) {
		t.Fatalf("excerpt %q", e)
	}
}

func FuzzNormalizeTelegram(f *testing.F) {
	f.Add("Tides https://port.example/a?utm_source=x", "")
	f.Add("www.a.b)", "https://port.example/\u0301")
	f.Fuzz(func(t *testing.T, text, url string) {
		m := Telegram{Text: text, URL: url, ChatID: "1", MessageID: "2"}
		one, err := NormalizeTelegram(m, source.DefaultRules())
		two, _ := NormalizeTelegram(m, source.DefaultRules())
		sound(t, one, two, err, false)
	})
}

func FuzzNormalizeEmail(f *testing.F) {
	f.Add("From: a@b.example\nSubject: Re: x\nMessage-ID: <1@b>\n\ntext", "", "", "")
	f.Add("<p>Unsubscribe", "News <n@b.example>", "[x] y", "2026-03-01")
	f.Add("From: a\nDate: Mon, 2 Mar 2026 00:00:00 GMT\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--",
		"a@b.example", "=?utf-8?q?x?=", "")
	f.Fuzz(func(t *testing.T, raw, from, subject, date string) {
		e := Email{RawText: raw, From: from, Subject: subject, Date: date}
		one, err := NormalizeEmail(e)
		two, _ := NormalizeEmail(e)
		sound(t, one, two, err, false)
	})
}

func FuzzNormalizeWebpage(f *testing.F) {
	f.Add("Share\n\nHigh tide at noon.", "https://port.example/")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, text, url string) {
		p := Webpage{Text: &text, URL: url}
		one, err := NormalizeWebpage(p, source.DefaultRules())
		two, _ := NormalizeWebpage(p, source.DefaultRules())
		sound(t, one, two, err, true)
	})
}
