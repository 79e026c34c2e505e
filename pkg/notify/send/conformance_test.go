package send

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

const googleSpace = "googlechat://chat.googleapis.com/v1/spaces/s/messages?key=k&token=t"

// wire is a request as a service gets it. The key is in Authorization or in a header of the service.
type wire struct{ method, to, body, key string }

// conforming is what a service's documentation asks for: the request of [message] at an address with one receiver, and
// the longest text in the unit in which the service counts. A service that shows no single text has no limit here.
type conforming struct {
	address string
	wire    wire
	most    int
	unit    func(string) int
}

func inUTF16(s string) int { return len(utf16.Encode([]rune(s))) }

const (
	asText  = `Costs – content\nhttps://a.example/costs\n+ The fee is 30 euros.`
	asForm  = "Costs+%E2%80%93+content%0Ahttps%3A%2F%2Fa.example%2Fcosts%0A%2B+The+fee+is+30+euros."
	untitle = `https://a.example/costs\n+ The fee is 30 euros.`
)

// all has an entry for each service. Mail is a protocol of its own: see mail_test.go.
var all = map[string]conforming{
	"discord": {discordHook, wire{"POST", "https://discord.com/api/v10/webhooks/1/tk?wait=true",
		`{"allowed_mentions":{"parse":[]},"content":"` + asText + `"}`, ""}, 2000, inUTF16},
	"generic": {"generic://h.example/in?b=c&disabletls=yes", wire{"POST", "http://h.example/in?b=c", `{"id":"a-1","message":"` +
		asText + `","title":"Costs – content","url":"https://a.example/costs"}`, ""}, 32 << 10, bytesIn},
	"googlechat": {googleSpace, wire{"POST", "https" + strings.TrimPrefix(googleSpace, "googlechat"),
		`{"text":"` + asText + `"}`, ""}, 4096, bytesIn},
	"gotify": {"gotify://h.example/sub/tk", wire{"POST", "https://h.example/sub/message", `{"message":"` + untitle +
		`","priority":5,"title":"Costs – content"}`, "tk"}, 32 << 10, bytesIn},
	"matrix": {matrixRoom, wire{"PUT", "https://h.example/_matrix/client/v3/rooms/%21r:h/send/m.room.message/a-1",
		`{"body":"` + asText + `","m.mentions":{},"msgtype":"m.text"}`, "Bearer t"}, 32 << 10, bytesIn},
	"mattermost": {"mattermost://bot@h.example/tk/town", wire{"POST", "https://h.example/hooks/tk",
		`{"channel":"town","text":"` + asText + `","username":"bot"}`, ""}, 4000, utf8.RuneCountInString},
	"ntfy": {"ntfy://u:p@h.example/alerts", wire{"POST", "https://h.example/", `{"message":"` + untitle +
		`","title":"Costs – content","topic":"alerts"}`, "Basic dTpw"}, 4096, bytesIn},
	"pushover": {pushoverUser, wire{"POST", "https://api.pushover.net/1/messages.json", "message=" + asForm +
		"&title=Costs+%E2%80%93+content&token=tk&url=https%3A%2F%2Fa.example%2Fcosts&user=user", ""}, 1024,
		utf8.RuneCountInString},
	"rocketchat": {rocketHook, wire{"POST", "https://h.example/hooks/a/b", `{"text":"` + asText + `"}`, ""}, 5000, inUTF16},
	"slack": {slackHook, wire{"POST", "https://hooks.slack.com/services/A/B/C", `{"mrkdwn":false,"text":"` + asText +
		`"}`, ""}, 4000, utf8.RuneCountInString},
	"teams": {teamsHook, wire{"POST", "https://h.example/workflows/w?sig=s", `{"attachments":[{"content":{"body":[` +
		`{"inlines":[{"text":"Costs – content","type":"TextRun","weight":"Bolder"}],"type":"RichTextBlock"},{"inlines":[` +
		`{"selectAction":{"type":"Action.OpenUrl","url":"https://a.example/costs"},"text":"https://a.example/costs",` +
		`"type":"TextRun"}],"type":"RichTextBlock"},{"inlines":[{"text":"+ The fee is 30 euros.","type":"TextRun"}],` +
		`"type":"RichTextBlock"}],"type":"AdaptiveCard","version":"1.4"},"contentType":` +
		`"application/vnd.microsoft.card.adaptive"}],"type":"message"}`, ""}, 0, nil},
	"telegram": {telegramChat, wire{"POST", "https://api.telegram.org/bot1:tk/sendMessage", `{"chat_id":"-1",` +
		`"disable_web_page_preview":true,"text":"` + asText + `"}`, ""}, 4096, inUTF16},
	"zulip": {zulipStream, wire{"POST", "https://h.example/api/v1/messages", "content=" + asForm +
		"&to=s&topic=Tidemark&type=stream", "Basic Yjpr"}, 10_000, utf8.RuneCountInString},
}

func bytesIn(s string) int { return len(s) }

// otherForms are further forms of addresses, with the start of the request.
var otherForms = map[string]wire{
	"slack://xoxb:1-2-3@general": {"POST", "https://slack.com/api/chat.postMessage", `{"channel":"general"`,
		"Bearer xoxb-1-2-3"},
	"ntfy://:tk@h.example/a?scheme=http":   {"POST", "http://h.example/", `{"message":`, "Bearer tk"},
	"gotify://h.example/tk?disabletls=yes": {"POST", "http://h.example/message", `{"message":`, "tk"},
}

// texts are the services that show a message as one text, by their addresses.
var texts = textServices()

func textServices() map[string]conforming {
	out := map[string]conforming{}
	for _, is := range all {
		if is.most > 0 {
			out[is.address] = is
		}
	}
	return out
}

// requestOn sends the message to an address, and returns what the service gets.
func requestOn(t *testing.T, address string) (got wire) {
	t.Helper()
	s := playing(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = wire{r.Method, r.URL.String(), string(body), r.Header.Get("Authorization") + r.Header.Get("X-Gotify-Key")}
	})
	one(s, t.Context(), Target{Service: address}, message)
	return got
}

// TestW5EveryService checks each service against its documentation: the request on the wire, the longest text, the
// preview, and the form of its address in docs/channels.md (W5).
func TestW5EveryService(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "channels.md"))
	must(t, err)
	_, addresses, _ := strings.Cut(string(doc), "\n## Addresses in settings\n")
	for _, name := range Services() {
		if !strings.Contains(addresses, "| `"+name+"://") {
			t.Errorf("%s: docs/channels.md has no row with the form of its address", name)
		}
		is, ok := all[name]
		if name == Mail {
			continue
		}
		if !ok {
			t.Errorf("%s: the table of conformance_test.go has no entry", name)
			continue
		}
		if got := requestOn(t, is.address); got != is.wire {
			t.Errorf("%s:\nhave %+v\nwant %+v", name, got, is.wire)
		}
		if (is.most == 0) != (name == "teams") {
			t.Errorf("%s: the table has no limit of its text", name)
		}
		checkPreview(t, name, is)
	}
	for address, want := range otherForms {
		got := requestOn(t, address)
		got.body = got.body[:min(len(got.body), len(want.body))]
		if got != want {
			t.Errorf("%s:\nhave %+v\nwant %+v", address, got, want)
		}
	}
}

// checkPreview checks that the preview has the title and the text that a service gets.
func checkPreview(t *testing.T, name string, is conforming) {
	t.Helper()
	if is.most == 0 {
		return // see TestW20PreviewsAreWhatIsSent
	}
	evil := "*bold* <script> @everyone [pay](https://evil.example) & "
	m := Message{ID: "a", Title: evil + strings.Repeat("t", 2000), Text: strings.Repeat(evil, 1000),
		URL: "https://a.example/_b_"}
	got, text, title := Preview(name, m), textFor(t, is.address, m), titleFor(t, is.address, m)
	if got.Text != text || !got.Cut || is.unit(text) > is.most {
		t.Errorf("%s: %d of %d, cut %t: %.80q is shown as %.80q", name, is.unit(text), is.most, got.Cut, text, got.Text)
	}
	if got.Title != title {
		t.Errorf("%s: the title %.80q is shown as %.80q", name, title, got.Title)
	}
}

// titleFor is the title that a service shows above the text, "" where the text begins with it.
func titleFor(t *testing.T, to string, m Message) string {
	t.Helper()
	body := requestTo(t, to, m).body
	var in struct{ Title, URL string }
	if json.Unmarshal(body, &in) != nil {
		form, err := url.ParseQuery(string(body))
		must(t, err)
		return form.Get("title")
	}
	if in.URL != "" { // fields for a program
		return ""
	}
	return in.Title
}
