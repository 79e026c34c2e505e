package letter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// TestW20Wordings checks what becomes of variables, of lines whose variables are all empty, and of texts that are not
// understood (W20).
func TestW20Wordings(t *testing.T) {
	values := Words{"title": "Storm lamp", "summary": "79 → 84 EUR", "url": "https://shop.example/", "added": "a\nb"}
	for text, want := range map[string]string{
		"{{title}}: {{ summary }}":                 "Storm lamp: 79 → 84 EUR",
		"  plain {text} }} \r\n\r\n {{title}}\r\n": "plain {text} }}\n\n Storm lamp",
		"Mute: {{mute}}\n{{title}} {{mute}}":       "Storm lamp",
		"{{mute}}{{tags}}":                         "",
		"new:\n{{added}}":                          "new:\na\nb",
		"\x00\u202ea":                              "\uFFFD\uFFFDa",
		"":                                         "",
	} {
		w, err := ParseWording(text, MaxText)
		if got := PlainText(w.With(values)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"{{colour}}":              "{{colour}} is not known: there are title, url, host, type, kind, ",
		"a {{title":               "{{title has no end: a variable is written as {{title}}",
		"{{title\n}}":             "{{title has no end",
		"{{range .}}":             "{{range .}} is not known",
		"{{ {{title}} }}":         "{{{{title}} is not known",
		strings.Repeat("a", 4001): "4001 bytes; at most 4000 are allowed",
	} {
		if _, err := ParseWording(text, MaxText); !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestW20ValuesAreNotRead checks that a value which looks like a variable stays as it is, and that only the values of
// variables that are addresses are links (W20).
func TestW20ValuesAreNotRead(t *testing.T) {
	w, err := ParseWording("{{title}} {{url}} https://a.example/", MaxText)
	if err != nil {
		t.Fatal(err)
	}
	pieces := w.With(Words{"title": "{{mute}} https://evil.example", "url": "https://shop.example/", "mute": "secret"})
	links := 0
	for _, p := range pieces {
		if p.Link {
			links++
		}
	}
	const want = "{{mute}} https://evil.example https://shop.example/ https://a.example/"
	if got := PlainText(pieces); got != want || links != 1 {
		t.Errorf("%q with %d links", got, links)
	}
}

// FuzzParse checks that a text is read or refused with a reason, and that what it becomes is bounded, valid, and free
// of characters that control or turn what follows.
func FuzzParse(f *testing.F) {
	f.Add("{{title}}: {{summary}}\n{{difference}}", "Storm lamp")
	f.Add("{{ title", "}}")
	f.Add(strings.Repeat("{{added}}", 400), strings.Repeat("x\n", 900))
	f.Fuzz(func(t *testing.T, text, value string) {
		w, err := ParseWording(text, MaxText)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || !utf8.ValidString(err.Error()) || len(err.Error()) > 400 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		values := Words{}
		for _, name := range variableNames() {
			values[name] = value
		}
		got := PlainText(w.With(values))
		if len(got) > maxResult+len("…")+len(text) || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes", text, len(got))
		}
		for _, r := range got {
			if r != '\n' && words.Steers(r) {
				t.Errorf("%q has %U", got, r)
			}
		}
	})
}
