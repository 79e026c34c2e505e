package send

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// wire is a service that records its requests.
type wire struct {
	method, path, body, authorization string
}

func (w *wire) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	*w = wire{r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Authorization") + r.Header.Get("X-Gotify-Key")}
}

// TestW5OwnServices checks the requests to services that people host themselves against their interfaces (W5).
func TestW5OwnServices(t *testing.T) {
	got := &wire{}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	for address, want := range map[string]wire{
		"ntfy://:tk@HOST/alerts?scheme=http": {"POST", "/", `{"message":"https://a.example/costs\n+ The fee is 30 euros.",` +
			`"title":"Costs – content","topic":"alerts"}`, "Bearer tk"},
		"ntfy://u:p@HOST/alerts?scheme=http": {"POST", "/", `{"message":"https://a.example/costs\n+ The fee is 30 euros.",` +
			`"title":"Costs – content","topic":"alerts"}`, "Basic dTpw"},
		"gotify://HOST/sub/tk?disabletls=yes": {"POST", "/sub/message", `{"message":"https://a.example/costs\n+ The fee is ` +
			`30 euros.","priority":5,"title":"Costs – content"}`, "tk"},
		"mattermost://bot@HOST/tk/town?disabletls=yes": {"POST", "/hooks/tk", `{"channel":"town","text":"Costs – ` +
			`content\nhttps://a.example/costs\n+ The fee is 30 euros.","username":"bot"}`, ""},
		"rocketchat://HOST/a/b?disabletls=yes": {"POST", "/hooks/a/b", `{"text":"Costs – content\nhttps://a.example/` +
			`costs\n+ The fee is 30 euros."}`, ""},
		"matrix://:tk@HOST/?rooms=!r:h.example&disabletls=yes": {"PUT",
			"/_matrix/client/v3/rooms/%21r:h.example/send/m.room.message/a-1", `{"body":"Costs – content\n` +
				`https://a.example/costs\n+ The fee is 30 euros.","m.mentions":{},"msgtype":"m.text"}`, "Bearer tk"},
		"zulip://b:k@HOST/?stream=s&disabletls=yes": {"POST", "/api/v1/messages", "content=Costs+%E2%80%93+content%0A" +
			"https%3A%2F%2Fa.example%2Fcosts%0A%2B+The+fee+is+30+euros.&to=s&topic=Tidemark&type=stream", "Basic Yjpr"},
		"generic://HOST/a?b=c&disabletls=yes": {"POST", "/a?b=c", `{"id":"a-1","message":"Costs – content\n` +
			`https://a.example/costs\n+ The fee is 30 euros.","title":"Costs – content","url":"https://a.example/costs"}`, ""},
	} {
		to := strings.Replace(address, "HOST", host, 1)
		if r := one(sender(t, "127.0.0.1"), t.Context(), Target{Service: to}, message); !r.OK || *got != want {
			t.Errorf("%s: %+v\nhave %+v\nwant %+v", address, r, *got, want)
		}
	}
}

// TestW5HostedServices checks that hosted services are called at the addresses in their documentation (W5).
func TestW5HostedServices(t *testing.T) {
	const chat = "://chat.googleapis.com/v1/spaces/s/messages?key=k&token=t"
	for address, want := range map[string]string{
		"slack://hook:T1-B2-C3@webhook":               "https://hooks.slack.com/services/T1/B2/C3",
		"slack://xoxb:1-2-3@general":                  "https://slack.com/api/chat.postMessage",
		"discord://tk@123":                            "https://discord.com/api/v10/webhooks/123/tk?wait=true",
		"teams://a.logic.azure.com/workflows/w?sig=s": "https://a.logic.azure.com/workflows/w?sig=s",
		"telegram://1:tk@telegram?chats=@news":        "https://api.telegram.org/bot1:tk/sendMessage",
		"pushover://shoutrrr:tk@user":                 "https://api.pushover.net/1/messages.json",
		"googlechat" + chat:                           "https" + chat,
	} {
		u, kind, err := service(address)
		must(t, err)
		requests, err := kind.build(u, message)
		must(t, err)
		if len(requests) != 1 || requests[0].url != want || len(requests[0].body) == 0 {
			t.Errorf("%s: %+v", address, requests)
		}
	}
}

// TestW5NobodyIsCalled checks that the text of a page mentions no one and is not markup (W5).
func TestW5NobodyIsCalled(t *testing.T) {
	evil := Message{ID: "a", Title: "@channel <!channel> <users/all> @everyone", Text: "@all <b>"}
	for _, address := range []string{"slack://hook:T-B-C@webhook", "discord://tk@1", "mattermost://h/t",
		"rocketchat://h/a/b", "googlechat://chat.googleapis.com/v1/spaces/s/messages?key=k&token=t"} {
		u, kind, err := service(address)
		must(t, err)
		requests, err := kind.build(u, evil)
		must(t, err)
		var body struct {
			Text     string
			Mentions *struct{ Parse []string } `json:"allowed_mentions"`
		}
		must(t, json.Unmarshal(requests[0].body, &body))
		calls := strings.Contains(body.Text, "@all")
		if strings.HasPrefix(address, "slack") || strings.HasPrefix(address, "google") { // these ignore plain @names
			calls = strings.Contains(body.Text, "<")
		}
		if calls || strings.HasPrefix(address, "discord") && (body.Mentions == nil || len(body.Mentions.Parse) != 0) {
			t.Errorf("%s: %s", address, requests[0].body)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, address := range []string{"slack://hook:A-B-C@webhook", "smtp://u:p@h:587/?from=a@b.c&to=d@e.f",
		"matrix://:t@h/?rooms=!a:b", "telegram://1:a@telegram?chats=a,b", "ntfy://h/t", "teams://h/w?a=b"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		name, _, err := Check(address)
		if _, known := services[name]; err == nil && !known {
			t.Errorf("%q is of service %q", address, name)
		}
	})
}
