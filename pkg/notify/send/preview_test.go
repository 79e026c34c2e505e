package send

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestW20PreviewsAreWhatIsSent checks that the preview of a message is the text that each service gets, and that it
// says when the service does not take all of it (W20).
func TestW20PreviewsAreWhatIsSent(t *testing.T) {
	evil := "*bold* <script> @everyone [pay](https://evil.example) & "
	for _, m := range []Message{
		{ID: "a", Title: evil, Text: evil, URL: "https://a.example/_b_", Foot: "Rule: x"},
		{ID: "a", Title: evil, Text: evil, URL: "https://a.example/_b_", Alone: true},
		{ID: "a", Title: "t", Text: strings.Repeat(evil, 1000), Alone: true},
	} {
		for to := range texts {
			kind, _, _ := strings.Cut(to, ":")
			got := Preview(kind, m)
			if want := textFor(t, to, m); got.Text != want || got.Cut != strings.HasSuffix(want, "…") {
				t.Errorf("%s: %.80q, cut %v, is sent as %.80q", kind, got.Text, got.Cut, want)
			}
			if m.Alone && (strings.Contains(got.Text, m.URL) && m.URL != "" || strings.Contains(got.Text, "Rule:")) {
				t.Errorf("%s: %.80q does not stand alone", kind, got.Text)
			}
		}
		got, sent := Preview("teams", m), cardText(t, m)
		if got.Text != sent || got.Cut != strings.HasSuffix(sent, "…") {
			t.Errorf("teams: %.80q, cut %v, is sent as %.80q", got.Text, got.Cut, sent)
		}
	}
}

// special are the characters that are markup, or begin a mention, in a text for a service, and the form in which they
// are only text.
var special = map[string]struct{ chars, as string }{
	"slack":      {"<>", ""},
	"discord":    {"*_~|[]()<>#`", `\`},
	"mattermost": {"*_~|[]()<>#`!", `\`},
	"googlechat": {"[]", "\u200b"},
	"telegram":   {"@", "\u200b"},
	"zulip":      {"@#[]<*`", "\u200b"},
}

// TestW20ValuesAreNoMarkup checks that whatever a message says, in words of its own or of a page, each character that
// would be markup for a service stands in the form in which it is text (W20).
func TestW20ValuesAreNoMarkup(t *testing.T) {
	evil := rapid.StringOf(rapid.SampledFrom([]rune("*_~|[]()<>#`!@\\&\n everyonhlU1-+{}")))
	rapid.Check(t, func(t *rapid.T) {
		m := Message{ID: "a", Title: evil.Draw(t, "title"), Text: evil.Draw(t, "text"), Alone: true}
		for service, is := range special {
			text := []rune(Preview(service, m).Text)
			for i := 0; i < len(text); i++ {
				if is.as == `\` && text[i] == '\\' {
					i++ // and what it escapes
					continue
				}
				next := i+1 < len(text) && string(text[i+1]) == is.as
				if strings.ContainsRune(is.chars, text[i]) && !(is.as == "\u200b" && next) {
					t.Fatalf("%s: %q at %d of %q", service, text[i], i, string(text))
				}
			}
		}
	})
}

// cardText is the text of a card for Teams.
func cardText(t *testing.T, m Message) string {
	var body struct {
		Attachments []struct {
			Content struct {
				Body []struct{ Inlines []struct{ Text string } }
			}
		}
	}
	must(t, json.Unmarshal(requestTo(t, teamsHook, m).body, &body))
	var lines []string
	for _, block := range body.Attachments[0].Content.Body {
		line := ""
		for _, run := range block.Inlines {
			line += run.Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestW20MailAlone checks the parts of a mail that a user has worded (W20).
func TestW20MailAlone(t *testing.T) {
	u, err := url.Parse("smtp://mail.example/?from=a@a.example&to=b@b.example")
	must(t, err)
	b, err := mailbox(u)
	must(t, err)
	m := Message{ID: "a", Title: "<script>", Text: "*a*\nb", URL: "https://a.example/", Alone: true}
	letter, err := mail.ReadMessage(bytes.NewReader(compose(b, m, time.Unix(0, 0))))
	must(t, err)
	body := new(bytes.Buffer)
	_, err = body.ReadFrom(base64.NewDecoder(base64.StdEncoding, letter.Body))
	must(t, err)
	got := Preview(Mail, m)
	if text := strings.ReplaceAll(strings.TrimSpace(body.String()), "\r\n", "\n"); text != got.Text ||
		got.Text != "<script>\n*a*\nb" || letter.Header.Get("Subject") != got.Title {
		t.Errorf("%q %q, shown as %+v", letter.Header.Get("Subject"), text, got)
	}
}
