package send

import (
	"encoding/json"
	"strings"
	"testing"
)

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
